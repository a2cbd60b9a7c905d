import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { afterAll, expect, test } from 'vitest';
import { createThreadPool } from '../../server/threads/thread-pool.ts';
import { importFile } from '../../server/transfer/import-file.ts';
import { reportImport } from '../../server/transfer/report-import.ts';
import { maxCourseParts } from '../../shared/contract/features/curriculum.ts';
import {
  type ImportedRecordReport,
  ImportLine,
  type ImportMax,
  importExport,
} from '../../shared/contract/features/import-export.ts';
import { lesson } from '../../shared/contract/resources/curriculum.ts';
import { createTimedStream } from '../../shared/runtime/timeouts.ts';
import { startApp } from '../support/app.ts';
import {
  archiveFrom,
  archiveOf,
  filesOf,
  folderOf,
  importBytes,
  replaceFile,
  rowsOf,
  temporaryFile,
} from '../support/archives.ts';
import { addRecords, repeatText } from '../support/attacks/attacker.ts';
import { actor } from '../support/imported-states.ts';
import { ownerClient } from '../support/rpc.ts';
import { zipOf } from '../support/zips.ts';

// Limits for exports of other systems, and for the memory that an import needs for them.

/**
 * True for the long form of the tests, which takes minutes: limits are those of production, files contain texts, and other
 * systems have as many posts.
 */
const isLong = process.env.FAULTS === 'long';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.ownSite();

/** Memory of a thread for imports in MB: that of production, or a third of it for a fifth of the files. */
const importsMb = isLong ? 192 : 64;

/** App whose imports have this memory. */
const measured = await startApp({ threadPool: createThreadPool({ idleMs: 20_000, importsMb }) });
afterAll(() => measured[Symbol.asyncDispose]());
const measuredId = await measured.seed.ownSite();

const ghost = (table: string, rows: Iterable<object>) =>
  JSON.stringify({ db: [{ data: { [table]: [...rows] } }] });

function* numbered(count: number, row: (n: number) => object) {
  for (let n = 1; n <= count; n++) yield row(n);
}

/** Returns the header of an empty file in a tar archive. */
async function headOf(name: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name }, '');
  tar.finalize();
  return (await buffer(tar)).subarray(0, 512);
}

const max = isLong ? importExport.max : { records: 2_000, remembered: 1_000, characters: 200_000 };

/** Imports a file, and expects that it is refused before anything changes. */
async function expectRefusal(content: string | Buffer, why: string, options: { max?: ImportMax } = {}) {
  const file = await temporaryFile(content, 'export');
  await expect(
    importFile(app.deps, file, { siteId, actor, fetchImages: app.deps.webhooks.rule, ...options }),
  ).rejects.toThrow(why);
  for (const table of ['posts', 'members', 'subscribers'])
    expect(await rowsOf(app, `select id from ${table}`)).toEqual([]);
}

test.for([
  [
    `${max.remembered} posts`,
    `the file has more than ${max.remembered} posts and pages: import it in parts`,
    () =>
      ghost(
        'posts',
        numbered(max.remembered + 1, (n) => ({ id: n, title: `${n}`, html: 'a', status: 'published' })),
      ),
  ],
  [
    `${max.records} records`,
    `the file has more than ${max.records} records: import it in parts`,
    () => `email\n${Array.from({ length: max.records + 1 }, (_, n) => `${n}@a.de\n`).join('')}`,
  ],
  [
    `${max.characters} characters of ids`,
    `the ids and addresses in the file have more than ${max.characters} characters: import it in parts`,
    () =>
      ghost(
        'posts',
        numbered(max.characters / 995, (n) => ({ id: `${repeatText('a', 994)}${n}`, title: 'a', html: 'a' })),
      ),
  ],
  [
    `${max.remembered} files`,
    'the archive of the folder has too many or too large files',
    async () => Buffer.alloc((max.remembered + 1) * 512, await headOf('a.md')),
  ],
] as const)(
  'a file with more than %s is refused before anything changes',
  { timeout: 1_800_000 },
  async ([, why, make]) => expectRefusal(await make(), why, { max }),
);

test('without other limits, a file with more than 20,000,000 characters of file names is refused', async () => {
  const names = Array.from({ length: 350 }, (_, n) => `${repeatText('a', 60_000)}${n}.md`);
  const zip = zipOf(Object.fromEntries(names.map((name) => [name, ''])));
  await expectRefusal(zip, 'the archive of the folder has too many or too large files');
});

/** Number of files or posts of the largest imports. */
const maxNames = isLong ? importExport.max.remembered : 20_000;
const folders = `${'a/'.repeat(20)}${repeatText('c', 99)}/`;
const named = (n: number, ending: string) => `${n}`.padStart(6, '0') + repeatText('b', 40) + ending;

const largest: Readonly<Record<string, () => Promise<Buffer> | string>> = {
  'files in folders of their own': () =>
    tarOf(maxNames, (n) => (n === 0 ? 'a.md' : `${n}/`.padStart(7, '0') + folders + named(n, '.js'))),
  ...(isLong && {
    'texts with the longest names': () => tarOf(maxNames, (n) => named(n, '.md')),
    'posts of another system': () =>
      ghost(
        'posts',
        numbered(maxNames, (id) => ({ id, title: 'a', slug: named(id, ''), html: 'a', status: 'published' })),
      ),
  }),
};

test.for(Object.entries(largest))(
  'an import with the maximum of %s completes within its time and memory',
  async ([, make]) => {
    const { counts } = await importFile(measured.deps, await temporaryFile(await make(), 'export'), {
      siteId: measuredId,
      actor,
      dryRun: true,
      max: { ...importExport.max, remembered: maxNames },
    });
    expect(counts.refused).toBe(0);
    expect(counts.created + counts.skipped).toBeGreaterThanOrEqual(maxNames);
  },
);

/** Returns a tar archive with empty files. */
async function tarOf(count: number, nameOf: (n: number) => string): Promise<Buffer> {
  const head = await headOf('a');
  return Buffer.concat(Array.from({ length: count }, (_, n) => renamed(head, nameOf(n))));
}

/** Returns a copy of a tar header with another name. */
function renamed(head: Buffer, name: string): Buffer {
  const other = Buffer.from(head);
  const cut = name.length > 100 ? name.indexOf('/', name.length - 101) : -1;
  other.fill(0, 0, 100).write(name.slice(cut + 1));
  if (cut > 0) other.write(name.slice(0, cut), 345);
  other.write('        ', 148);
  const sum = other.reduce((total, byte) => total + byte, 0);
  other.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return other;
}

test('the longest text that consists of code is read within the time limit of a record', async () => {
  const text = '`a`\n'.repeat(124_000);
  const { counts } = await importFile(app.deps, await folderOf({ 'code.md': text }), {
    siteId,
    actor,
    dryRun: true,
  });
  expect(counts).toEqual({ created: 1, skipped: 0, refused: 0 });
});

/** Writes a WordPress export with these items to a file, item by item. */
async function wordPressFile(items: Iterable<string>): Promise<string> {
  const file = await temporaryFile('<rss><channel><link>https://tides.example.com</link>', 'wordpress.xml');
  for (const item of items) await appendFile(file, item);
  await appendFile(file, '</channel></rss>');
  return file;
}

test('the longest text of unclosed shortcodes is processed within the time limit of a record', async () => {
  const text = '[audio src="http:'.repeat(490_000);
  const item = `<item><title>A</title><content:encoded><![CDATA[${text}]]></content:encoded><wp:post_id>1</wp:post_id><wp:post_type>post</wp:post_type><wp:status>publish</wp:status></item>`;
  const file = await wordPressFile([item]);
  const report: ImportedRecordReport[] = [];
  await importFile(app.deps, file, { siteId, actor, dryRun: true, onRecord: (one) => report.push(one) });
  expect(report.map(({ source_id, outcome }) => [source_id, outcome])).toEqual([['1', 'refused']]);
});

test('an import keeps the attachments of an old site in memory, but not the other values of their items', async () => {
  // Takes 1 MB of memory, because of its first character.
  const beside = `\u{1f33e}${'x'.repeat(500_000)}`;
  const count = importsMb * 1.25;
  const items = Array.from(
    { length: count },
    (_, n) =>
      `<item><title>P</title><wp:post_id>${n}</wp:post_id><wp:post_type>attachment</wp:post_type><wp:status>inherit</wp:status><wp:postmeta><wp:meta_key>m</wp:meta_key><wp:meta_value><![CDATA[${beside}]]></wp:meta_value></wp:postmeta><wp:attachment_url>https://tides.example.com/wp-content/uploads/${n}.jpg</wp:attachment_url></item>`,
  );
  const { counts } = await importFile(measured.deps, await wordPressFile(items), {
    siteId: measuredId,
    actor,
    dryRun: true,
  });
  expect(counts).toEqual({ created: 0, skipped: count, refused: 0 });
});

test('lessons that exceed the maximum of a course are refused with a reason', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { id: course_id } = await studio.courses.create.mutate({ title: 'Sailing' });
  const { id: module_id } = await studio.modules.create.mutate({ course_id, title: 'Knots' });
  const { id } = await studio.lessons.create.mutate({ module_id, title: 'Bowline' });
  const archive = await archiveOf(app, siteId);
  await studio.lessons.delete.mutate({ id });
  await addRecords({ deps: app.deps, siteId }, lesson, { count: maxCourseParts - 1, title: 'L', module_id });
  const { report } = await importBytes(app, archive, { siteId });
  const refused = report.filter(({ outcome }) => outcome === 'refused');
  expect(refused.map(({ source_id, reason }) => [source_id, reason])).toEqual([
    [id, 'Not imported: a course has at most 1000 modules and lessons'],
  ]);
});

test('an import waits for a slow reader of its report, and buffers only a limited part of it', async () => {
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
  let maxWaiting = 0;
  while (!lines.readableEnded) {
    maxWaiting = Math.max(maxWaiting, lines.readableLength + lines.writableLength);
    told += lines.read(Math.min(1_000, lines.readableLength))?.toString() ?? '';
    // Gives the import time to continue as far as it can.
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
  expect(maxWaiting).toBeLessThan(buffers + batch * lineBytes);
});
