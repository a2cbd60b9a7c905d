import { Migration } from '@mikro-orm/migrations';

/**
 * What rate limits have counted, for all server processes. Unlogged: after a crash of PostgreSQL everybody begins anew,
 * which is better than a write to disk for each request. Half of each page is left free, so that a row is changed where
 * it stands, without a new entry in the index.
 */
export class RateLimits0090 extends Migration {
  override name = '0090-rate-limits';

  override up() {
    this.addSql(sql);
  }
}

const sql = `
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
