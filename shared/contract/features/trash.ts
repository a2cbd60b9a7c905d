import { z } from 'zod';
import { documented } from '../documented.ts';
import { Actor } from '../history.ts';
import { RecordId } from '../record-id.ts';
import { timestamp } from '../timestamps.ts';

/**
 * Maximum number of records that one call deletes permanently from the trash. The transaction of the call delays all
 * newer events, so it is limited.
 */
export const maxEmptied = 1_000;
/**
 * Time after which a call that empties the trash starts no further batch, in milliseconds. The histories of records
 * may be long.
 */
export const emptyingMs = 2_000;

export const Trashed = z.strictObject({
  collection: documented(z.string(), 'Collection of the record', 'posts'),
  id: RecordId,
  title: z.string().describe('Title of the record'),
  deleted: timestamp('Deletion time'),
  actor: Actor,
});

export const Restored = z.strictObject({
  status: z.literal('restored').describe('Always `restored`'),
  slug: z
    .string()
    .optional()
    .describe('Slug of the restored record; differs from the previous one if that is in use'),
});

export const Emptied = z.strictObject({
  count: documented(
    z.int(),
    `Number of permanently deleted records, at most ${maxEmptied} per call; repeat the call until it is 0`,
    3,
  ),
});
