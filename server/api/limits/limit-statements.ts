import type { Decision } from '../rate-limiter.ts';
import { bucketRule, decisionOf, type Rule, tokenParts, windowRule } from './rules.ts';

export interface LimitRow {
  key: string;
  asked_at: number;
  granted: number;
  full_at: number;
  taken: number[] | null;
}

/** Reads rows without writing, so that a query for the remaining requests creates no row. $1 has the keys, $2 the time. */
export const peekStatement = {
  name: 'rate-limits-peek',
  text: `
select asked.key, coalesce($2::double precision, floor(date_part('epoch', now()) * 1000)) as asked_at,
  0 as granted, coalesce(kept.full_at, 0) as full_at, kept.taken
from unnest($1::text[]) as asked (key)
left join rate_limits as kept on kept.key = asked.key`,
} as const;

/** Size of a tier: `perMinute` and `burst` of a bucket, or `max` and `minutes` of a window. */
export type Size = readonly [number, number];

/** SQL and decision rule of one kind of tier. */
export interface LimitStatement {
  /** Name under which PostgreSQL keeps the plan. */
  name: string;
  text: string;
  /** Returns a function that derives each request's decision, in the order of the batch, from the row after all of them. */
  replay(row: LimitRow, size: Size): (wants: 'take' | 'peek') => Decision;
}

/**
 * SQL source of the wanted requests by key; a negative `wanted` takes requests back. All statements lock rows in the
 * order of their keys, so processes wait for each other without deadlocks. $5 is the time; null selects the database's
 * clock, which all processes share.
 */
const chargesSql = `
  from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) as asked (key, per_minute, burst, wanted),
    (select coalesce($5::double precision, floor(date_part('epoch', now()) * 1000)) as now_ms) as moment`;

// `excluded` is the row that the statement would insert for a new subject. Its `granted` has the wanted number, at most
// a burst, and its `asked_at` the time.
const used = `
  least(greatest(kept.full_at - excluded.asked_at * excluded.per_minute, 0), excluded.burst * ${tokenParts}.0)`;
const granted = `
  least(excluded.granted, greatest(0,
    floor((excluded.burst * ${tokenParts}.0 - ${used}) / ${tokenParts}.0)::integer))`;

/**
 * Statement form of `bucketRule` in `rules.ts` for several requests. A statement that waited for a lock uses its start
 * time, which never grants more.
 */
export const bucketStatement: LimitStatement = {
  name: 'rate-limits-bucket',
  text: `
insert into rate_limits as kept (key, per_minute, burst, asked_at, granted, full_at)
select key, per_minute, burst, now_ms, least(wanted, burst),
  now_ms * per_minute + least(wanted, burst) * ${tokenParts}.0
${chargesSql}
on conflict (key) do update set
  asked_at = excluded.asked_at,
  granted = ${granted},
  full_at = excluded.asked_at * excluded.per_minute + ${used} + ${tokenParts}.0 * ${granted}
returning key, asked_at, granted, full_at`,
  replay: (row, [perMinute, burst]) =>
    replayed(bucketRule({ perMinute, burst }), row.full_at - row.granted * tokenParts, row.asked_at),
};

// A window uses the columns of a bucket: `per_minute` has the number of requests, `burst` the minutes.
const windowMs = 'burst * 60000.0';
const excludedMs = `excluded.${windowMs}`;

/**
 * Maximum lateness in milliseconds: a statement that waits for a lock uses its start time, and has a timeout. A larger
 * difference means that the clock was set back.
 */
const maxLateMs = 10_000;

/** Statement of a sliding window. It counts at the latest time seen, so that no request leaves the window too early. */
export const windowStatement: LimitStatement = {
  name: 'rate-limits-window',
  text: `
insert into rate_limits as kept (key, per_minute, burst, asked_at, granted, full_at, taken)
select key, per_minute, burst, now_ms, least(wanted, per_minute),
  (now_ms + ${windowMs}) * per_minute, array_fill(now_ms, array[greatest(least(wanted, per_minute), 0)])
${chargesSql}
on conflict (key) do update set (asked_at, granted, full_at, taken) = (
  select at, number, (at + ${excludedMs}) * excluded.per_minute,
    case when number < 0 then trim_array(recent, least(-number, cardinality(recent)))
      else recent || array_fill(at, array[number]) end
  from (select case when kept.asked_at - excluded.asked_at between 0 and ${maxLateMs} then kept.asked_at
      else excluded.asked_at end as at) as latest,
    lateral (select array(select least(t, at) from unnest(kept.taken) as t where t + ${excludedMs} > at) as recent) as still,
    lateral (select least(excluded.granted, excluded.per_minute - cardinality(recent)) as number) as free
)
returning key, asked_at, granted, full_at, taken`,
  replay({ taken, granted: number, asked_at }, [max, minutes]) {
    const times = taken ?? [];
    return replayed(windowRule({ max, minutes }), times.slice(0, times.length - number), asked_at);
  },
};

function replayed<State>(rule: Rule<State>, before: State, nowMs: number) {
  let state = before;
  return (wants: 'take' | 'peek') => {
    if (wants === 'peek') return decisionOf(rule.peek(state, nowMs), nowMs);
    const taken = rule.take(state, nowMs);
    state = taken.state;
    return decisionOf(taken.verdict, nowMs);
  };
}
