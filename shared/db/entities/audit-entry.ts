import { p } from '@mikro-orm/core';
import type { Actor } from '../../contract/history.ts';
import { sitePrimaryKey, table, textArray, timestampColumn } from '../columns.ts';

/** Change of a site's administration, written in the transaction of the change. */
export const AuditEntryEntity = table('audit_log', {
  ...sitePrimaryKey,
  created: timestampColumn(),
  actor: p.json<Actor>(),
  /** Procedure that made the change, or an operator's command. */
  action: p.text(),
  /** ID of the changed record; null if it has none. */
  record_id: p.text().nullable(),
  /** Names of the fields that an update set. Their values are never stored, because they may be secrets. */
  changed: textArray(),
});
