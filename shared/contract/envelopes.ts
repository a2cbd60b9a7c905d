import { z } from 'zod';
import { titled } from './documented.ts';
import { moment } from './moments.ts';
import { RecordId } from './record-id.ts';

/** What reads call the moment a record was made or last changed. */
export const created = moment('Creation time');
export const updated = moment('Time of the last change');

/** When a draft is to be published. */
export const publishAt = moment('Scheduled publication time; null if the draft has no schedule').nullable();

export const Created = titled('Created', { id: RecordId, created: created.optional() }).describe(
  'ID and creation time of the new record',
);

export const Updated = titled('Updated', {
  status: z.literal('updated').describe('Always `updated`'),
}).describe('The record was updated');
export const Deleted = titled('Deleted', {
  status: z.literal('deleted').describe('Always `deleted`'),
}).describe('The record was deleted');
