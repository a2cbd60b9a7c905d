import { z } from 'zod';
import { documented } from '../documented.ts';
import { Actor } from '../history.ts';
import { moment } from '../moments.ts';
import { RecordId } from '../record-id.ts';

/**
 * Most records that one call removes from the trash, and for how long it goes on with more of them, whose histories may
 * be long. While its transaction is open, nobody gets newer events.
 */
export const mostEmptied = 1_000;
export const emptyingMs = 2_000;

/** A record in the trash. */
export const Trashed = z.strictObject({
  collection: documented(z.string(), 'Where it was', 'posts'),
  id: RecordId,
  title: z.string().describe('What it is called'),
  deleted: moment('When it was deleted'),
  actor: Actor,
});

/** What restoring from the trash answers. */
export const Restored = z.strictObject({
  status: z.literal('restored').describe('What was done'),
  slug: z.string().optional().describe('The slug that it has; another than before where that was taken'),
});

/** The answer to emptying the trash. */
export const Emptied = z.strictObject({
  count: documented(
    z.int(),
    `How many records are gone for good; ${mostEmptied} at most, fewer where that takes long: there may be more until it is 0`,
    3,
  ),
});
