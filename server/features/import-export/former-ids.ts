import { sql } from 'kysely';
import { around, commonFolder, type NamedFiles } from './sources/named-files.ts';
import type { ImportTarget } from './target.ts';

/** Folders that the same files may have been in: so many are looked through. */
const most = { batches: 1_000, folders: 100 } as const;

/** Gives the ids under which a file may have been imported: its folder may have been within others then, or in none. */
export async function formerIds(
  { deps, siteId }: Pick<ImportTarget, 'deps' | 'siteId'>,
  source: string,
  { within, folders }: NamedFiles,
): Promise<(sourceId: string) => string[]> {
  // What was stored at one moment came from one folder.
  const { rows } = await sql<{ first: string; last: string }>`
    select min(source_id collate "C") as first, max(source_id collate "C") as last from imported_records
    where site_id = ${siteId} and source = ${source}
    group by created order by created desc limit ${most.batches}`.execute(deps.database.em.getKysely());
  const former = new Set(['', ...rows.flatMap(({ first, last }) => around(commonFolder([first, last])))]);
  const possible = [...former].filter((folder) => !folders.has(folder)).slice(0, most.folders);
  return (sourceId) => [
    sourceId,
    ...possible.map((folder) => `${folder}${sourceId.slice(within.length)}`).filter((id) => id !== sourceId),
  ];
}
