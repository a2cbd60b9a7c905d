import { z } from 'zod';

/** A file of media that the database names, and that is not in the backup, or not as it came once. */
const Lacking = z.strictObject({ key: z.string(), why: z.enum(['missing', 'damaged']) });

export type Lacking = z.infer<typeof Lacking>;

/** What a backup says of itself, in its last entry. */
export const BackupManifest = z.strictObject({
  /** Raised when a backup can't be read any more by what came before. */
  format: z.literal(1),
  created: z.iso.datetime(),
  migrations: z.array(z.string()).min(1),
  /** Each after those that it refers to. */
  tables: z.array(z.strictObject({ name: z.string(), columns: z.array(z.string()).min(1) })),
  /** Of the tables that have partitions, each with the words that `create table … partition of` takes. */
  partitions: z.array(
    z.strictObject({
      name: z.string(),
      parent: z.string(),
      bound: z.string().regex(/^FOR VALUES FROM \('[\d-]+'\) TO \('[\d-]+'\)$/),
    }),
  ),
  secret_key: z.boolean(),
  /** Where media were: in the backup, or at an address that it says nothing of. */
  media: z.enum(['included', 'elsewhere']),
  /** Of a backup that is not whole: what of media it lacks. */
  lacking: z.array(Lacking).optional(),
});

export type BackupManifest = z.infer<typeof BackupManifest>;

export type Table = BackupManifest['tables'][number];

export const paths = {
  manifest: 'manifest.json',
  secretKey: 'secret-key',
  media: 'media/',
  /** Of a table's rows, one part after the other as `COPY` writes them, each packed by itself. */
  part: (table: string, number: number) => `tables/${table}/${String(number).padStart(6, '0')}.gz`,
};

const partPath = /^tables\/([^/]+)\/\d{6}\.gz$/;

/** The table that an entry holds rows of; null for other entries. */
export const tableOf = (path: string) => partPath.exec(path)?.[1] ?? null;
