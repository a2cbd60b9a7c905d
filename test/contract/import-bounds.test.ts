import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';
import { afterAll, expect, test } from 'vitest';
import { importFile } from '../../server/features/import-export/import-file.ts';
import { startApp } from '../support/app.ts';
import { rowsOf, temporaryFile } from '../support/archives.ts';
import { filled } from '../support/attacks/filled.ts';
import { zipOf } from '../support/zips.ts';

// How much another system may have given away: what an import remembers of it is bounded.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.ownSite();

const ghost = (table: string, rows: Iterable<object>) =>
  JSON.stringify({ db: [{ data: { [table]: [...rows] } }] });

function* numbered(count: number, row: (n: number) => object) {
  for (let n = 1; n <= count; n++) yield row(n);
}

/** What stands before an empty file in a tar. */
async function headOf(name: string): Promise<Buffer> {
  const tar = pack();
  tar.entry({ name }, '');
  tar.finalize();
  return (await buffer(tar)).subarray(0, 512);
}

test.for([
  [
    '100,000 posts',
    'the file has more than 100000 posts and pages: import it in parts',
    () =>
      ghost(
        'posts',
        numbered(100_001, (n) => ({ id: n, title: `${n}`, html: 'a', status: 'published' })),
      ),
  ],
  [
    '1,000,000 records',
    'the file has more than 1000000 records: import it in parts',
    () =>
      ghost(
        'members',
        numbered(500_001, (n) => ({ id: n, email: `${n}@a.de`, subscribed: true })),
      ),
  ],
  [
    '20,000,000 characters of ids',
    'the ids and addresses in the file have more than 20000000 characters: import it in parts',
    () =>
      ghost(
        'posts',
        numbered(20_100, (n) => ({ id: `${filled('a', 994)}${n}`, title: 'a', html: 'a' })),
      ),
  ],
  [
    '100,000 files',
    'the archive of the folder has too much in it',
    async () => Buffer.alloc(100_001 * 512, await headOf('a.md')),
  ],
  [
    '20,000,000 characters of the names of files',
    'the archive of the folder has too much in it',
    () =>
      zipOf(Object.fromEntries(Array.from({ length: 350 }, (_, n) => [`${filled('a', 60_000)}${n}.md`, '']))),
  ],
] as const)('a file with more than %s is refused before anything changes', async ([, why, make]) => {
  const file = await temporaryFile(await make(), 'export');
  const actor = { kind: 'operator', id: 'ada', name: 'ada' } as const;
  await expect(
    importFile(app.deps, file, { siteId, actor, fetchPictures: app.deps.webhooks.rule }),
  ).rejects.toThrow(why);
  for (const table of ['posts', 'members', 'subscribers'])
    expect(await rowsOf(app, `select id from ${table}`)).toEqual([]);
});
