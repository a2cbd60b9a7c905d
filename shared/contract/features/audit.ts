import { z } from 'zod';
import { created } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { Actor } from '../history.ts';
import { listParameter } from '../list-parameter.ts';
import { pageQuery } from '../pagination.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';
import { DateTime } from '../timestamps.ts';

const action = boundedText(100).meta({
  description: 'Name of the procedure, or of the command of an operator',
  examples: ['admin.apiKeys.rotate', 'ops.keys.delete'],
});

const record_id = RecordId.describe('ID of the changed record');

/** Change of a site's administration. */
export const AuditEntry = z.strictObject({
  id: RecordId,
  created,
  actor: Actor,
  action,
  record_id: record_id.nullable().describe('ID of the changed record; null for the site itself'),
  changed: z
    .array(z.string())
    .describe('Names of the fields that an update contained; empty for other actions'),
});

export const auditQuery = {
  ...pageQuery,
  action: listParameter(action, 'admin.apiKeys.rotate', 'Only entries of these actions').optional(),
  actor_id: boundedText(100).describe('Only entries of the actor with this ID').optional(),
  record_id: RecordIdFilter.describe('Only entries about the record with this ID').optional(),
  created_from: DateTime.describe('Only entries at or after this time').optional(),
  created_before: DateTime.describe('Only entries before this time').optional(),
};
