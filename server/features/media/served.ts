import { sql } from 'kysely';
import type { MediaType } from '../../../shared/contract/features/media.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Infrastructure } from '../../kernel/deps.ts';

/** Gives a file of a site as its visitors get it; null when there is none. */
type FileFinder = (siteId: string, id: string) => Promise<ServedFile | null>;

interface ServedFile {
  id: string;
  name: string;
  type: MediaType;
  size: number;
  sha256: string;
  /** Of the smaller copies that there are. */
  widths: readonly number[];
}

declare module '../../kernel/deps.ts' {
  interface Deps {
    findFile: FileFinder;
  }
}

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
