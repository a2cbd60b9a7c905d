import { z } from 'zod';

/** What became of one record of an import. */
export const ImportedRecordReport = z.strictObject({
  collection: z.string(),
  /** What it is known by where it comes from. */
  source_id: z.string(),
  /** Null for one that is not here. */
  id: z.string().nullable(),
  title: z.string(),
  outcome: z.enum(['created', 'skipped', 'refused']),
  /** Why it is not here, or what of it is not as it was. */
  reason: z.string().nullable(),
});

export type ImportedRecordReport = z.infer<typeof ImportedRecordReport>;

export type Outcome = ImportedRecordReport['outcome'];

const Counts = z.strictObject({
  created: z.int(),
  skipped: z.int(),
  refused: z.int(),
});

export type ImportCounts = z.infer<typeof Counts>;

/** One line of the answer to an import over HTTP. */
export const ImportMessage = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('record'), record: ImportedRecordReport }),
  z.strictObject({ kind: z.literal('progress'), collection: z.string(), records: z.int() }),
  z.strictObject({ kind: z.literal('done'), counts: Counts }),
  z.strictObject({ kind: z.literal('failed'), message: z.string() }),
]);

export type ImportMessage = z.infer<typeof ImportMessage>;
