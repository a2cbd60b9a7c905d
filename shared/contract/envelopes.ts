import { z } from 'zod';
import { titled } from './documented.ts';
import { RecordId } from './record-id.ts';
import { timestamp } from './timestamps.ts';

/** Creation time of a record in reads. */
export const created = timestamp('Creation time');
/** Time of a record's last change, in reads. */
export const updated = timestamp('Time of the last change');

/** Scheduled publication time of a draft; null if it has none. */
export const publishAt = timestamp(
  'Scheduled publication time; null if the draft has no schedule',
).nullable();

/** Result of a create call. */
export const Created = titled('Created', { id: RecordId, created: created.optional() }).describe(
  'ID and creation time of the new record',
);

/** Result of an update call. */
export const Updated = titled('Updated', {
  status: z.literal('updated').describe('Always `updated`'),
}).describe('The record was updated');
/** Result of a delete call. */
export const Deleted = titled('Deleted', {
  status: z.literal('deleted').describe('Always `deleted`'),
}).describe('The record was deleted');
