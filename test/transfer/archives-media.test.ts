import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { importArchive } from '../../server/transfer/archive/import-archive.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  archiveFrom,
  archiveOf,
  filesOf,
  importBytes,
  replaceFile,
  rowsOf,
  temporaryFile,
} from '../support/archives.ts';
import { filesBelow } from '../support/stored-keys.ts';

/** A media file in an archive: its bytes at `media/ID`, and the additional values of its row, if it has one. */
interface Packed {
  id: string;
  content: string;
  row?: Record<string, unknown> | undefined;
}

/** Returns an archive of an empty site with these files. */
async function archiveWith(app: TestApp, siteId: string, packed: readonly Packed[]): Promise<Buffer> {
  const [first, ...others] = await filesOf(await archiveOf(app, siteId));
  const files = new Map([...(first ? [first] : []), ...packed.map(fileOf), ...others]);
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  const described = packed.map((file) => ({
    name: `media/${file.id}`,
    records: null,
    bytes: file.content.length,
    sha256: hashOf(file.content),
  }));
  manifest.files = [...described, ...manifest.files];
  files.set('manifest.json', JSON.stringify(manifest));
  replaceFile(files, 'media.jsonl', packed.map(lineOf).join(''));
  return archiveFrom(files);
}

const fileOf = ({ id, content }: Packed) => [`media/${id}`, content] as const;

const hashOf = (content: string) => createHash('sha256').update(content).digest('hex');

const lineOf = ({ id, content, row }: Packed) =>
  row
    ? `${JSON.stringify({
        id,
        name: 'plan.pdf',
        type: 'application/pdf',
        size: content.length,
        width: null,
        height: null,
        sha256: hashOf(content),
        created: '2026-01-01T00:00:00.000Z',
        ...row,
      })}\n`
    : '';

async function storedIds(app: TestApp): Promise<string[]> {
  const keys = await filesBelow(app.mediaDir);
  return keys.flatMap((key) => key.split('/')[1] ?? []).sort();
}

/** Returns a list to which the key of each newly stored file is added. */
function recordPuts({ deps: { media } }: TestApp): string[] {
  const keys: string[] = [];
  const { put } = media;
  media.put = (key, content, bytes) => {
    keys.push(key);
    return put(key, content, bytes);
  };
  return keys;
}

const id = (letter: string) => letter.repeat(15);

const files: Packed[] = [
  { id: id('a'), content: 'new', row: {} },
  { id: id('b'), content: 'new', row: {} },
  { id: id('c'), content: 'without a row' },
  { id: id('d'), content: 'its row is refused', row: { type: 'text/html' } },
  { id: id('e'), content: 'its row tells of other bytes', row: { size: 1 } },
  { id: id('f'), content: 'there under another id', row: {} },
  { id: id('g'), content: 'there', row: {} },
];

test('an import stores only media bytes that get a row, each once', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const there = [
    { id: id('h'), content: 'there under another id', row: {} },
    { id: id('g'), content: 'there', row: {} },
  ];
  const archive = await archiveWith(app, siteId, files);
  await importBytes(app, await archiveWith(app, siteId, there), { siteId });
  const put = recordPuts(app);

  const { report } = await importBytes(app, archive, { siteId, withinPlan: true });

  expect(put).toEqual([`${siteId}/${id('a')}/original`]);
  expect(await storedIds(app)).toEqual([id('a'), id('g'), id('h')]);
  const told = report.filter(({ collection }) => collection === 'media');
  expect(told.map(({ source_id, outcome }) => [source_id, outcome]).sort()).toEqual([
    [id('a'), 'created'],
    [id('b'), 'skipped'],
    [id('d'), 'refused'],
    [id('e'), 'refused'],
    [id('f'), 'skipped'],
    [id('g'), 'skipped'],
  ]);
});

/** Imports media, and stops before their rows are written. */
async function importWithoutRows(app: TestApp, siteId: string) {
  const posts = await filesOf(await archiveWith(app, siteId, files));
  replaceFile(posts, 'posts.jsonl', '{}\n');
  const archive = await archiveFrom(posts);
  const stop = new AbortController();
  const onRecord = ({ collection }: { collection: string }) => {
    if (collection === 'posts') stop.abort(new Error('stopped'));
  };

  const importing = importArchive(app.deps, await temporaryFile(archive), {
    siteId,
    onRecord,
    signal: stop.signal,
  });
  await expect(importing).rejects.toThrow('stopped');
}

test('an import that stops before media rows are written leaves no media bytes', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const put = recordPuts(app);

  await importWithoutRows(app, siteId);

  expect(put).toHaveLength(3);
  expect(await storedIds(app)).toEqual([]);
  expect(await rowsOf(app, 'select from media')).toEqual([]);
});

test('if the store fails to remove one file, the import does not try to remove the others', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  let requested = 0;
  app.deps.media.delete = async () => {
    requested += 1;
    throw new Error('the store is away');
  };

  await importWithoutRows(app, siteId);

  expect(requested).toBe(1);
});

test('an archive that lists a file twice is refused before anything changes', async () => {
  await using app = await startApp();
  const siteId = await app.seed.ownSite();
  const files = await filesOf(await archiveWith(app, siteId, [{ id: id('a'), content: 'new', row: {} }]));
  const manifest = JSON.parse(files.get('manifest.json') ?? '');
  manifest.files.unshift(manifest.files[0]);
  files.set('manifest.json', JSON.stringify(manifest));

  await expect(importBytes(app, await archiveFrom(files), { siteId })).rejects.toThrow(
    'damaged or not from this service: the manifest lists media/aaaaaaaaaaaaaaa twice',
  );
});

test("media without a row do not count for the plan's limits, and media with one do", async () => {
  await using app = await startApp();
  const siteId = await app.seed.site({ plan: 'creator' });
  const large = 'x'.repeat(10_000_001);
  const importing = async (file: Packed) =>
    importBytes(app, await archiveWith(app, siteId, [file]), { siteId, withinPlan: true });

  expect((await importing({ id: id('a'), content: large })).counts).toMatchObject({ refused: 0 });
  await expect(importing({ id: id('a'), content: large, row: {} })).rejects.toThrow(
    /takes files of up to 10 MB/,
  );
  expect(await storedIds(app)).toEqual([]);
});
