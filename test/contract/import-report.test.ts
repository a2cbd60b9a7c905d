import { once } from 'node:events';
import { expect, test } from 'vitest';
import { reportImport } from '../../server/features/import-export/report-import.ts';
import { ImportLine } from '../../shared/contract/features/import-export.ts';
import { createTimedStream } from '../../shared/timeouts.ts';
import { startApp } from '../support/app.ts';
import { archiveFrom, archiveOf, filesOf, replaceFile, rowsOf, temporaryFile } from '../support/archives.ts';

test('an import waits for a slow reader of its report: what waits for the reader is no more than its buffers and a batch', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const files = await filesOf(await archiveOf(app, siteId));
  const refused = 5_000;
  replaceFile(files, 'posts.jsonl', '{}\n'.repeat(refused));
  const file = await temporaryFile(await archiveFrom(files));
  const lines = createTimedStream(app.deps.timeouts.transfer);
  const actor = { kind: 'owner', id: 'olive', name: 'Olive Owner' } as const;

  const ended = new AbortController().signal;
  const done = reportImport(app.deps, file, { siteId, actor, mode: 'as-marked', dryRun: true, ended }, lines);
  await once(lines, 'readable');
  let told = '';
  let mostWaiting = 0;
  while (!lines.readableEnded) {
    mostWaiting = Math.max(mostWaiting, lines.readableLength + lines.writableLength);
    told += lines.read(Math.min(1_000, lines.readableLength))?.toString() ?? '';
    // The import goes on meanwhile as far as it will.
    await rowsOf(app, 'select 1');
  }
  await done;

  const report = told.split('\n').filter(Boolean);
  expect(report).toHaveLength(refused + 2);
  expect(ImportLine.parse(JSON.parse(report.at(-1) ?? ''))).toEqual({
    counts: { created: 0, skipped: 1, refused },
  });
  const lineBytes = Math.max(...report.map((line) => Buffer.byteLength(line) + 1));
  const batch = 500;
  const buffers = lines.readableHighWaterMark + lines.writableHighWaterMark;
  expect(mostWaiting).toBeLessThan(buffers + batch * lineBytes);
});
