import { p } from '@mikro-orm/core';
import type { TransferKind } from '../../contract/features/import-export.ts';
import type { Actor } from '../../contract/history.ts';
import { table, timestampColumn } from '../columns.ts';

/**
 * Source of an imported record in another system. The row remains after the record is deleted, so that it is not
 * imported again.
 */
export const ImportedRecord = table('imported_records', {
  site_id: p.text().primary(),
  /** Name of the other system, and of the site in it. */
  source: p.text().primary(),
  collection: p.text().primary(),
  source_id: p.text().primary(),
  record_id: p.text(),
  created: timestampColumn(),
});

/** Single-use URL for an export or import. Only the SHA-256 hash of its token is stored. */
export const MoveTicketEntity = table('move_tickets', {
  site_id: p.text().primary(),
  token_hash: p.text().primary(),
  move: p.text().$type<TransferKind>(),
  /** Person or API key that created the URL. */
  actor: p.json<Actor>(),
  expires_at: timestampColumn(),
});
