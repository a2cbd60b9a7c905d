import { z } from 'zod';
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
export const Created = z
  .strictObject({ id: RecordId, created: created.optional() })
  .meta({ title: 'Created', description: 'What was created' });

/** What an update and a deletion answer. */
export const Updated = z
  .strictObject({ status: z.literal('updated').meta({ description: 'What was done' }) })
  .meta({ title: 'Updated', description: 'The record was updated' });
export const Deleted = z
  .strictObject({ status: z.literal('deleted').meta({ description: 'What was done' }) })
  .meta({ title: 'Deleted', description: 'The record was deleted' });
