import type { Decision } from '../rate-limiter.ts';
import { bucketRule, decisionOf, type Rule, tokenParts, windowRule } from './rules.ts';

/** A subject's row after a statement. */
export interface LimitRow {
  key: string;
  asked_at: number;
  granted: number;
  full_at: number;
  taken: number[] | null;
}

/** $1 is keys. Looks, and writes nothing: whoever only asks what is left costs no row. */
export const peekStatement = {
  name: 'rate-limits-peek',
  text: `
select asked.key, coalesce($2::double precision, floor(date_part('epoch', now()) * 1000)) as asked_at,
  0 as granted, coalesce(kept.full_at, 0) as full_at, kept.taken
from unnest($1::text[]) as asked (key)
left join rate_limits as kept on kept.key = asked.key`,
} as const;

/** Two whole numbers: `perMinute` and `burst` of a bucket, `most` and `minutes` of a window. */
export type Size = readonly [number, number];

/** How one kind of tier is counted in the database. */
export interface LimitStatement {
  /** PostgreSQL keeps its plan under this name. */
  name: string;
  text: string;
  /** Tells, one after the other, what each of those says who asked at once; the row is as it stood after all of them. */
  replay(row: LimitRow, size: Size): (wants: 'take' | 'peek') => Decision;
}

/**
 * For each key how many of the wanted requests it lets through, and what is left. `wanted` below 0 takes requests back. All rows are locked in the order of their keys, so processes wait for each other and never in a circle; $5 is the
 * moment, null for that of the database: one clock for all processes, whatever machine they run on.
 */
const chargesSql = `
  from unnest($1::text[], $2::integer[], $3::integer[], $4::integer[]) as asked (key, per_minute, burst, wanted),
    (select coalesce($5::double precision, floor(date_part('epoch', now()) * 1000)) as now_ms) as moment`;

// `excluded` is the row as it would be for a subject who is not known yet: it brings what is wanted along as `granted`,
// since no more than a burst can be let through, and the moment as `asked_at`.
const used = `
  least(greatest(kept.full_at - excluded.asked_at * excluded.per_minute, 0), excluded.burst * ${tokenParts}.0)`;
const granted = `
  least(excluded.granted, greatest(0,
    floor((excluded.burst * ${tokenParts}.0 - ${used}) / ${tokenParts}.0)::integer))`;

/** `takeToken` of `rules.ts` for several requests at once. Who waited for a lock asks as of before, and so gets no more. */
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

// The columns of a bucket's size hold that of a window: `per_minute` how many, `burst` in how many minutes.
const windowMs = 'burst * 60000.0';
const excludedMs = `excluded.${windowMs}`;

/** Who waited for a lock asks as of before, by the time of a statement at most; what is further off was counted before the clock was set back. */
const mostLateMs = 10_000;

/** A place is taken at the latest moment seen so far, so that none is free again too early. */
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
  from (select case when kept.asked_at - excluded.asked_at between 0 and ${mostLateMs} then kept.asked_at
      else excluded.asked_at end as at) as latest,
    lateral (select array(select least(t, at) from unnest(kept.taken) as t where t + ${excludedMs} > at) as recent) as still,
    lateral (select least(excluded.granted, excluded.per_minute - cardinality(recent)) as number) as free
)
returning key, asked_at, granted, full_at, taken`,
  replay({ taken, granted: number, asked_at }, [most, minutes]) {
    const times = taken ?? [];
    return replayed(windowRule({ most, minutes }), times.slice(0, times.length - number), asked_at);
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
