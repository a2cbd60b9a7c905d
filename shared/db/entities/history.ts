import { p } from '@mikro-orm/core';
import type { Actor } from '../../contract/history.ts';
import { moment, table, textArray } from '../columns.ts';

/** The values of columns, as PostgreSQL writes them in JSON. */
export type StoredJson = Record<string, unknown>;

/** A write of a content record: who made it, and what its fields held before. */
export const RecordRevision = table('record_revisions', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  record_id: p.text().primary(),
  /** The one that the write made. */
  revision: p.integer().primary(),
  created: moment(),
  actor: p.json<Actor>(),
  changed: textArray(),
  /** Of the changed fields, and `updated`: laid over the record as the write left it, they make it what it was. */
  previous: p.json<StoredJson>(),
});

/** A deleted content record. */
export const TrashedRecord = table('trash', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  id: p.text().primary(),
  title: p.text(),
  deleted: moment(),
  actor: p.json<Actor>(),
  record: p.json<StoredJson>(),
});

/** A record that was deleted along with the one that it is a part of, and comes back with it. */
export const TrashedPart = table('trash_parts', {
  site_id: p.text().primary(),
  collection: p.text().primary(),
  id: p.text().primary(),
  whole_collection: p.text().primary(),
  whole_id: p.text().primary(),
  /** Without its id, and without `content` where that has a column: only who knows of that can put it back. */
  record: p.json<StoredJson>(),
  content: p.text().nullable(),
});
