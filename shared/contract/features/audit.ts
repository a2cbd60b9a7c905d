import { z } from 'zod';
import { created } from '../envelopes.ts';
import { boundedText } from '../fields.ts';
import { Actor } from '../history.ts';
import { listParameter } from '../list-parameter.ts';
import { DateTime } from '../moments.ts';
import { pageQuery } from '../pagination.ts';
import { RecordId, RecordIdFilter } from '../record-id.ts';

const action = boundedText(100).meta({
  description: 'The procedure that did it, or the command of an operator',
  examples: ['admin.apiKeys.rotate', 'ops.keys.delete'],
});

const record_id = RecordId.describe('Id of what it was done to');

/** A change of how a site is run. */
export const AuditEntry = z.strictObject({
  id: RecordId,
  created,
  actor: Actor,
  action,
  record_id: record_id.nullable().describe('Id of what it was done to; null for the site itself'),
  changed: z.array(z.string()).describe('Of an update, the fields that it gave'),
});

/** Which entries an owner asks for. */
export const auditQuery = {
  ...pageQuery,
  action: listParameter(action, 'admin.apiKeys.rotate', 'Only what these procedures did').optional(),
  actor_id: boundedText(100).describe('Only what this owner or API key did').optional(),
  record_id: RecordIdFilter.describe('Only what was done to this').optional(),
  created_from: DateTime.describe('Only at this moment or later').optional(),
  created_before: DateTime.describe('Only before this moment').optional(),
};
