import { p } from '@mikro-orm/core';
import { moment, table } from '../columns.ts';

/** A write that is done once, however often it is asked for, and its answer. */
export const IdempotencyKey = table('idempotency_keys', {
  site_id: p.text().primary(),
  /** Who wrote: the same for every secret of an API key, and for every session of an owner. */
  credential: p.text().primary(),
  key: p.text().primary(),
  /** Tells whether a repetition has the same method, path and body. */
  request_hash: p.text(),
  /** Null while the write is under way. */
  answer_sealed: p.text().nullable(),
  /** Until when a write that no transaction can hold belongs to the process that began it; null once it is over. */
  claimed_until: moment().nullable(),
  expires_at: moment(),
});
