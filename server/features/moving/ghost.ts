import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { type GhostLookups, lookUp, records } from './ghost-lookups.ts';
import { memberOf, postOf, subscriberOf } from './ghost-records.ts';
import { jsonRows } from './json-rows.ts';
import { chunksOf, type SourceFile } from './source-file.ts';

/**
 * A Ghost export: its JSON file is read twice, since rows can stand before those that they point at. Its ids are told apart
 * by their site where sites share them; later versions no longer export what a database calls itself.
 */
export async function readGhost(file: SourceFile, now: Date): Promise<ForeignSite> {
  const lookups = await lookUp(file, now);
  const { databaseHash, countsIds } = lookups;
  const source = countsIds && databaseHash ? `ghost ${databaseHash}` : 'ghost';
  return { source, records: recordsOf(file, lookups) };
}

async function* recordsOf(file: SourceFile, lookups: GhostLookups): AsyncGenerator<ForeignRecord> {
  for (const table of records) yield* rowsOf(file, table, lookups);
  // After the members, so that all records of a collection come together.
  yield* rowsOf(file, 'subscribers', lookups);
  for (const [table, rows] of lookups.leftOut)
    yield {
      collection: table,
      sourceId: table,
      title: `${rows} ${rows === 1 ? 'row' : 'rows'}`,
      values: null,
      notes: ['there is no place for these here'],
      isLeftOut: true,
    };
}

async function* rowsOf(
  file: SourceFile,
  wanted: (typeof records)[number] | 'subscribers',
  lookups: GhostLookups,
): AsyncGenerator<ForeignRecord> {
  const make = { posts: postOf, members: memberOf, subscribers: subscriberOf }[wanted];
  const from = wanted === 'posts' ? 'posts' : 'members';
  let place = 0;
  for await (const { table, row, note } of jsonRows(chunksOf(file))) {
    if (table !== from) continue;
    place += 1;
    const record = make(row, lookups, place);
    if (record) yield note ? { ...record, notes: [note, ...(record.notes ?? [])] } : record;
  }
}
