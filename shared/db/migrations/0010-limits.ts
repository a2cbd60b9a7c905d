import { Migration } from '@mikro-orm/migrations';

/** Rate limit counters of all server processes, and stored responses of writes with an `Idempotency-Key`. */
export class Limits extends Migration {
  override up() {
    this.addSql(rateLimits);
    this.addSql(idempotencyKeys);
  }
}

/*
 * Unlogged: a crash of PostgreSQL resets all limits, which costs less than a disk write for each request. Half of each page stays
 * free, so that an update needs no new index entry.
 */
const rateLimits = `
create unlogged table rate_limits (
  key text collate "C" primary key,
  per_minute integer not null,
  burst integer not null,
  asked_at double precision not null,
  granted integer not null,
  full_at double precision not null,
  taken double precision[]
) with (fillfactor = 50);
comment on column rate_limits.key is 'keyed hash of tier, its size, and who is counted';
comment on column rate_limits.asked_at is 'milliseconds since the epoch of the latest statement';
comment on column rate_limits.granted is 'how many requests the latest statement let through';
comment on column rate_limits.full_at is 'when nothing is used any more, in milliseconds since the epoch times per_minute';
comment on column rate_limits.taken is 'of a window: when requests were let through, in milliseconds since the epoch';
`;

/* The response is added by an update in the inserting transaction. Free space on the page saves that update an index entry. */
const idempotencyKeys = `
create table idempotency_keys (
  site_id text not null,
  credential text not null,
  key text not null,
  request_hash text not null,
  answer_sealed text,
  claimed_until timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (site_id, credential, key)
) with (fillfactor = 70)`;
