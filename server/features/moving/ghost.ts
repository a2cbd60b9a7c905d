import { type FileTree, isForPrograms } from './file-tree.ts';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { type GhostLookups, lookUp, records } from './ghost-lookups.ts';
import { ghostAddress, memberOf, postOf, subscriberOf } from './ghost-records.ts';
import { jsonRows } from './json-rows.ts';
import { leftOut } from './markdown-file.ts';
import { addressOf } from './markdown-places.ts';
import type { Content } from './source-file.ts';

/**
 * A Ghost export: its JSON file is read several times, since rows can stand before those that they point at. Its ids are
 * told apart by their site where sites share them; later versions no longer export what a database calls itself. Its
 * pictures come with it in an archive.
 */
export async function readGhost(content: Content, now: Date, tree?: FileTree): Promise<ForeignSite> {
  const lookups = await lookUp(content, now);
  const { databaseHash, countsIds } = lookups;
  const files = tree?.files.map(({ name }) => name) ?? [];
  const folder =
    files
      .map((name) => /^(?:.*?\/)?(?=content\/(?:images|media|files)\/)/.exec(name)?.[0])
      .find((found) => found !== undefined) ?? '';
  return {
    source: countsIds && databaseHash ? `ghost ${databaseHash}` : 'ghost',
    form: 'html',
    records: () => recordsOf(content, lookups, files),
    placesOf({ target }) {
      if (!target.startsWith(ghostAddress)) return [];
      const path = target.slice(ghostAddress.length).split(/[?#]/, 1).join('');
      return path.startsWith(`/${contentFolder}`)
        ? [`${folder}${decoded(originalOf(path)).slice(1)}`, `${folder}${decoded(path).slice(1)}`]
        : [addressOf(path)];
    },
    ...(tree && { tree }),
    cleaned: (body) => body.replaceAll(ghostAddress, ''),
  };
}

const contentFolder = 'content/';

/** Ghost makes smaller copies of pictures, which it has in folders beside theirs. */
const originalOf = (path: string) =>
  path.replace(/\/size\/w\d+(?:h\d+)?(?=\/)/, '').replace(/\/format\/\w+(?=\/)/, '');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

async function* recordsOf(
  content: Content,
  lookups: GhostLookups,
  files: readonly string[],
): AsyncGenerator<ForeignRecord> {
  for (const table of records) yield* rowsOf(content, table, lookups);
  // After the members, so that all records of a collection come together.
  yield* rowsOf(content, 'subscribers', lookups);
  for (const [table, rows] of lookups.leftOut)
    yield {
      collection: table,
      sourceId: table,
      title: `${rows} ${rows === 1 ? 'row' : 'rows'}`,
      values: null,
      notes: ['there is no place for these here'],
      isLeftOut: true,
    };
  for (const name of files)
    if (!isForPrograms(name) && !name.endsWith('.json'))
      yield leftOut(name, 'no text shows it, so it was left out');
}

async function* rowsOf(
  content: Content,
  wanted: (typeof records)[number] | 'subscribers',
  lookups: GhostLookups,
): AsyncGenerator<ForeignRecord> {
  const make = { posts: postOf, members: memberOf, subscribers: subscriberOf }[wanted];
  const from = wanted === 'posts' ? 'posts' : 'members';
  let place = 0;
  for await (const { table, row, note } of jsonRows(content())) {
    if (table !== from) continue;
    place += 1;
    const record = make(row, lookups, place);
    if (record) yield note ? { ...record, notes: [note, ...(record.notes ?? [])] } : record;
  }
}
