import { p } from '@mikro-orm/core';
import type { Actor } from '../../contract/history.ts';
import { moment, sitePrimaryKey, table, textArray } from '../columns.ts';

/** A change of how a site is run, written in its own transaction. */
export const AuditEntryEntity = table('audit_log', {
  ...sitePrimaryKey,
  created: moment(),
  actor: p.json<Actor>(),
  /** The procedure that did it, or the command of an operator. */
  action: p.text(),
  /** What it was done to, where that has an id. */
  record_id: p.text().nullable(),
  /** Of an update, the fields that it gave; never their values, which may be secrets. */
  changed: textArray(),
});
