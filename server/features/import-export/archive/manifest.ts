import { z } from 'zod';
import { profileColumns, siteColumns } from './carried.ts';
import { rowContract } from './carried-row.ts';

export const manifestName = 'manifest.json';

/** What an archive says of itself first. */
export const ArchiveManifest = z.strictObject({
  format: z.literal('creator-content-site'),
  version: z.literal(1),
  site: rowContract(siteColumns),
  profile: rowContract(profileColumns),
  /** What its suppressions are hashes under. Null before it signed anything, and in archives from before there was one. */
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

/** What it says of the site itself. */
export type ArchivedSettings = Omit<ArchiveManifest, 'format' | 'version' | 'files'>;

export type ArchivedFile = ArchiveManifest['files'][number];
