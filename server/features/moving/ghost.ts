import { createReadStream } from 'node:fs';
import type { ForeignRecord, ForeignSite } from './foreign-record.ts';
import { type GhostLookups, lookUp, records } from './ghost-lookups.ts';
import { memberOf, postOf, subscriberOf } from './ghost-records.ts';
import { jsonRows } from './json-rows.ts';

/**
 * A Ghost export: its JSON file is read twice, since rows can stand before those that they point at. Its ids are told apart
 * by their site where sites share them; later versions no longer export what a database calls itself.
 */
export async function readGhost(path: string): Promise<ForeignSite> {
  const lookups = await lookUp(path);
  const { databaseHash, countsIds } = lookups;
  const source = countsIds && databaseHash ? `ghost ${databaseHash}` : 'ghost';
  return { source, records: recordsOf(path, lookups) };
}

async function* recordsOf(path: string, lookups: GhostLookups): AsyncGenerator<ForeignRecord> {
  for (const table of records) yield* rowsOf(path, table, lookups);
  // After the members, so that all records of a collection come together.
  yield* rowsOf(path, 'subscribers', lookups);
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
  path: string,
  wanted: (typeof records)[number] | 'subscribers',
  lookups: GhostLookups,
): AsyncGenerator<ForeignRecord> {
  const make = { posts: postOf, members: memberOf, subscribers: subscriberOf }[wanted];
  const from = wanted === 'posts' ? 'posts' : 'members';
  let place = 0;
  for await (const { table, row } of jsonRows(createReadStream(path))) {
    if (table !== from) continue;
    place += 1;
    const record = make(row, lookups, place);
    if (record) yield record;
  }
}
