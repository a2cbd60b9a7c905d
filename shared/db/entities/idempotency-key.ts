import { p } from '@mikro-orm/core';
import { table, timestampColumn } from '../columns.ts';

/** Write with an idempotency key, and its answer. It runs once, however often it is sent. */
export const IdempotencyKey = table('idempotency_keys', {
  site_id: p.text().primary(),
  /** Caller: the same for every secret of an API key, and for every session of a person. */
  credential: p.text().primary(),
  key: p.text().primary(),
  /** Hash of method, path and body, which a repetition must match. */
  request_hash: p.text(),
  /** Encrypted answer; null while the write is running. */
  answer_sealed: p.text().nullable(),
  /** End of the claim of the process that runs a write outside a transaction; null after it finished. */
  claimed_until: timestampColumn().nullable(),
  expires_at: timestampColumn(),
});
