import { sql } from 'kysely';
import type { Transaction } from '../../../../shared/db/config.ts';

/** The bytes of a file of media, as its row tells of them. */
export interface ArchivedMediaFile {
  id: string;
  size: number;
  sha256: string;
}

export const mediaFolder = 'media/';

/** Whose bytes a file of an archive is; null for one that is something else. */
export const mediaIdOf = (name: string): string | null => /^media\/([a-z0-9]{15})$/.exec(name)?.[1] ?? null;

/** The media of a site, in the order of its archive. */
export async function listMediaFiles(em: Transaction, siteId: string): Promise<ArchivedMediaFile[]> {
  const { rows } = await sql<ArchivedMediaFile>`
    select id, size, sha256 from media where site_id = ${siteId} order by id collate "C"`.execute(
    em.getKysely(),
  );
  return rows;
}
