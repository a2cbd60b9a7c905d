import { z } from 'zod';

/** Media file of the database that is missing from the backup, or differs from the upload. */
const MissingFile = z.strictObject({ key: z.string(), why: z.enum(['missing', 'damaged']) });

export type MissingFile = z.infer<typeof MissingFile>;

/** Description of a backup, in its last entry. */
export const BackupManifest = z.strictObject({
  /** Version of the format, raised when older versions cannot read it. */
  format: z.literal(1),
  created: z.iso.datetime(),
  migrations: z.array(z.string()).min(1),
  /** Tables, each after those that it references. */
  tables: z.array(z.strictObject({ name: z.string(), columns: z.array(z.string()).min(1) })),
  /** Partitions of tables, with the bound in the syntax of `create table … partition of`. */
  partitions: z.array(
    z.strictObject({
      name: z.string(),
      parent: z.string(),
      bound: z.string().regex(/^FOR VALUES FROM \('[\d-]+'\) TO \('[\d-]+'\)$/),
    }),
  ),
  secret_key: z.boolean(),
  media: z.enum(['included', 'elsewhere']),
  /** Media files that an incomplete backup does not have; undefined if it is complete. */
  lacking: z.array(MissingFile).optional(),
});

export type BackupManifest = z.infer<typeof BackupManifest>;

export type Table = BackupManifest['tables'][number];

export const paths = {
  manifest: 'manifest.json',
  secretKey: 'secret-key',
  media: 'media/',
  /** Path of one part of a table's rows: output of `COPY`, compressed separately. */
  part: (table: string, number: number) => `tables/${table}/${String(number).padStart(6, '0')}.gz`,
};

const partPath = /^tables\/([^/]+)\/\d{6}\.gz$/;

/** Returns the name of the table whose rows an entry of a backup contains; null for other entries. */
export const tableOf = (path: string) => partPath.exec(path)?.[1] ?? null;
