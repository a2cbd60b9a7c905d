import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { issueTicket } from '../../server/api/access/transfer-tickets.ts';
import { importFile } from '../../server/transfer/import-file.ts';
import type { TransferKind } from '../../shared/contract/features/import-export.ts';
import { systemClock } from '../../shared/contract/timestamps.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { rowsOf, temporaryFile, temporaryFolder } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller, failure } from '../support/http.ts';
import { runNode } from '../support/process.ts';
import { openRaw } from '../support/raw-http.ts';
import { startServerProcess } from '../support/server-process.ts';
import { siteLockHolders } from '../support/site-lock-holders.ts';

const file = path.join(import.meta.dirname, '../samples/ghost.json');

const actor = { kind: 'owner', id: 'olive', name: 'Olive Owner' } as const;

/** Returns the URL of a ticket, signed for processes with a real clock. */
async function ticket({ deps, seed }: TestApp, siteId: string, kind: TransferKind) {
  const { id, name } = await seed.person('owner', siteId);
  const actor = { kind: 'owner', id, name } as const;
  return (await issueTicket({ ...deps, clock: systemClock, randomBytes }, { siteId, actor, kind })).url;
}

/** Starts an import at one process that runs until its connection ends. */
async function startSlowImport(app: TestApp, siteId: string, baseUrl: string) {
  const slow = await openRaw(baseUrl);
  const url = await ticket(app, siteId, 'import');
  slow.send(`POST ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"db"`);
  await eventually(async () => (await siteLockHolders(app)).length === 1);
  return slow;
}

test('a site has one transfer at a time over all processes, and a transfer whose process died blocks no other and leaves no file', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const otherId = await app.seed.site();
  const folder = await temporaryFolder();
  await using one = await startServerProcess(app.databaseUrl, { TMPDIR: folder });
  await using other = await startServerProcess(app.databaseUrl);
  using _slow = await startSlowImport(app, siteId, one.baseUrl);
  const call = createCaller(other.baseUrl);
  const busy = failure(409, 'transfer_busy');

  expect(await call('GET', await ticket(app, siteId, 'export'))).toEqual(busy);
  expect(await call('POST', await ticket(app, siteId, 'check'), { body: '{}' })).toEqual(busy);
  const operated = await runNode(['server/ops.ts', 'import', file, '--site', siteId], {
    DATABASE_URL: app.databaseUrl,
  });
  expect(operated).toEqual({
    exitCode: 1,
    output: expect.stringContaining('a transfer of this site is already running'),
  });
  const imported = async (id: string) =>
    (
      await fetch(other.baseUrl + (await ticket(app, id, 'import')), {
        method: 'POST',
        body: await readFile(file),
      })
    ).text();
  expect(await imported(otherId)).toContain('{"counts":{"created":9,');

  one.signal('SIGKILL');
  await one.ended();
  expect(await readdir(folder)).toEqual([]);
  expect(await imported(siteId)).toContain('{"counts":{"created":9,');
});

test('an import ends when the connection breaks that locks its site', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  using slow = await startSlowImport(app, siteId, app.baseUrl);

  await eventually(async () => (await siteLockHolders(app, 'pg_terminate_backend(pid)')).length === 1);
  await eventually(async () => (await siteLockHolders(app)).length === 0);
  slow.send('12345');

  expect(await slow.replies(1)).toMatchObject([failure(503, 'database_busy')]);
  expect(await rowsOf(app, 'select from posts')).toEqual([]);
});

test('concurrent imports of the same file create each record once', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  // Titles without characters for a slug, so that even the slugs of the posts do not conflict.
  const posts = Array.from({ length: 20 }, (_, at) => ({
    id: `post${at}`,
    title: '???',
    html: '<p>Words</p>',
  }));
  const same = await temporaryFile(JSON.stringify({ db: [{ meta: {}, data: { posts } }] }), 'ghost.json');
  const importing = () => importFile(app.deps, same, { siteId, actor });

  const done = await Promise.allSettled([importing(), importing(), importing()]);

  expect(done.map(({ status }) => status)).toContain('fulfilled');
  for (const one of done)
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ errorCode: 'transfer_busy' });
  expect(await rowsOf(app, 'select from posts')).toHaveLength(posts.length);
});
