import { z } from 'zod';
import { titled } from './documented.ts';
import { moment } from './moments.ts';
import { RecordId } from './record-id.ts';

/** What reads call the moment a record was made or last changed. */
export const created = moment('When the record was created');
export const updated = moment('When the record last changed');

/** When a draft is to be published. */
export const publishAt = moment(
  'When the draft will be published; null when it has no such moment',
).nullable();

/** What a create answers. */
export const Created = titled('Created', { id: RecordId, created: created.optional() }).describe(
  'What was created',
);

/** What an update and a deletion answer. */
export const Updated = titled('Updated', { status: z.literal('updated').describe('What was done') }).describe(
  'The record was updated',
);
export const Deleted = titled('Deleted', { status: z.literal('deleted').describe('What was done') }).describe(
  'The record was deleted',
);
