import { sql } from 'kysely';
import type { MediaType } from '../../../shared/contract/features/media.ts';
import { preparedStatement } from '../../../shared/db/client.ts';
import type { Infrastructure } from '../../kernel/deps.ts';

/** Gives a file of one of the sites as visitors get it; null when there is none. Files of one id have the same bytes. */
type FileFinder = (siteIds: readonly string[], id: string) => Promise<ServedFile | null>;

interface ServedFile {
  site_id: string;
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
  async (siteIds, id) => {
    const { rows } = await sql<ServedFile>`${preparedStatement}
      select site_id, id, name, type, size, sha256, widths from media
      where site_id = any(${siteIds}::text[]) and id = ${id} limit 1`.execute(database.em.getKysely());
    return rows[0] ?? null;
  };
