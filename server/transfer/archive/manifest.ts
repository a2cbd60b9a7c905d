import { sql } from 'kysely';
import { z } from 'zod';
import type { Transaction } from '../../../shared/db/config.ts';
import { rowContract } from './archive-columns.ts';
import { profileColumns, siteColumns } from './archive-tables.ts';

export const manifestName = 'manifest.json';

/** Contract of `manifest.json`, the first file of an archive. */
export const ArchiveManifest = z.strictObject({
  format: z.literal('creator-content-site'),
  version: z.literal(1),
  site: rowContract(siteColumns),
  profile: rowContract(profileColumns),
  /**
   * Mail key, with which the email addresses in the suppressions of the archive are hashed. Null if the site had no
   * mail key yet, and in archives of older versions.
   */
  mail_key: z
    .string()
    .regex(/^[\w-]{43}$/)
    .nullable()
    .default(null),
  files: z
    .array(
      z.strictObject({
        name: z.string().max(200),
        records: z.int().min(0).nullable(),
        bytes: z.int().min(0),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
      }),
    )
    .max(1_000_000),
});

export type ArchiveManifest = z.infer<typeof ArchiveManifest>;

export type ArchivedSettings = Omit<ArchiveManifest, 'format' | 'version' | 'files'>;

export type ArchivedFile = ArchiveManifest['files'][number];

export interface ArchivedMediaFile {
  id: string;
  size: number;
  sha256: string;
}

export const mediaFolder = 'media/';

/** Returns the media ID of a file of an archive; null for other files. */
export const mediaIdOf = (name: string): string | null => /^media\/([a-z0-9]{15})$/.exec(name)?.[1] ?? null;

export async function listMediaFiles(em: Transaction, siteId: string): Promise<ArchivedMediaFile[]> {
  const { rows } = await sql<ArchivedMediaFile>`
    select id, size, sha256 from media where site_id = ${siteId} order by id collate "C"`.execute(
    em.getKysely(),
  );
  return rows;
}
