import { sql } from 'kysely';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { FileFinder, Infrastructure, ServedFile } from '../../kernel/deps.ts';

/** Finds files for those who are served them. */
export const createFileFinder =
  ({ database }: Pick<Infrastructure, 'database'>): FileFinder =>
  async (siteId, id) => {
    const { rows } = await sql<ServedFile>`${preparedStatement}
      select id, name, type, size, sha256, widths from media where site_id = ${siteId} and id = ${id}`.execute(
      database.em.getKysely(),
    );
    return rows[0] ?? null;
  };
