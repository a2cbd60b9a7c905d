import { p } from '@mikro-orm/core';
import type { TransferKind } from '../../contract/features/import-export.ts';
import type { Actor } from '../../contract/history.ts';
import { moment, table } from '../columns.ts';

/** What a record was made of in another system. It outlives the record: what its owner deleted is not imported again. */
export const ImportedRecord = table('imported_records', {
  site_id: p.text().primary(),
  /** The system, and which of its sites. */
  source: p.text().primary(),
  collection: p.text().primary(),
  source_id: p.text().primary(),
  record_id: p.text(),
  created: moment(),
});

/** An address that is good for one export or import; only the SHA-256 of its token is kept. */
export const MoveTicketEntity = table('move_tickets', {
  site_id: p.text().primary(),
  token_hash: p.text().primary(),
  move: p.text().$type<TransferKind>(),
  /** Whose it is. */
  actor: p.json<Actor>(),
  expires_at: moment(),
});
