import { p } from '@mikro-orm/core';
import type { Actor } from '../../contract/history.ts';
import { table, textArray, timestampColumn } from '../columns.ts';

/** Column values, as PostgreSQL writes them in JSON. */
export type StoredJson = Record<string, unknown>;

/** Write of a content record: its actor, and the previous values of the changed fields. */
export const RecordRevision = table('record_revisions', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  record_id: p.text().primary(),
  /** Revision that the write created. */
  revision: p.integer().primary(),
  created: timestampColumn(),
  actor: p.json<Actor>(),
  changed: textArray(),
  /**
   * Previous values of the changed fields and of `updated`. Merged into the record as this write left it, they restore
   * the record before the write.
   */
  previous: p.json<StoredJson>(),
});

/** Deleted content record. */
export const TrashedRecord = table('trash', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  id: p.text().primary(),
  title: p.text(),
  deleted: timestampColumn(),
  actor: p.json<Actor>(),
  record: p.json<StoredJson>(),
});

/** Record that was deleted with the record it belongs to, and is restored with it. */
export const TrashedPart = table('trash_parts', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  id: p.text().primary(),
  whole_collection: p.text().primary(),
  whole_id: p.text().primary(),
  /**
   * Record without its ID, and without `content` if that has its own column. Only code that knows this column can
   * restore it.
   */
  record: p.json<StoredJson>(),
  content: p.text().nullable(),
});
