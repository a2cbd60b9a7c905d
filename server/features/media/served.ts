import { sql } from 'kysely';
import { media as limits } from '../../../shared/contract/limits.ts';
import type { MediaType } from '../../../shared/contract/media.ts';
import { preparedStatement } from '../../../shared/db/prepared-statement.ts';
import type { Deps } from '../../kernel/deps.ts';

/** A file as its visitors get it. */
export interface ServedFile {
  id: string;
  name: string;
  type: MediaType;
  size: number;
  sha256: string;
  widths: readonly number[];
}

/** A file of a site; null when there is none. */
export async function findServed(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  id: string,
): Promise<ServedFile | null> {
  const { rows } = await sql<ServedFile>`${preparedStatement}
    select id, name, type, size, sha256, widths from media where site_id = ${siteId} and id = ${id}`.execute(
    database.em.getKysely(),
  );
  return rows[0] ?? null;
}

/** Whether a file has a copy of that width. */
export const hasWidth = ({ widths }: ServedFile, width: number) =>
  widths.includes(width) && limits.widths.some((one) => one === width);
