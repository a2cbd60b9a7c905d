import { hash } from 'node:crypto';
import type pg from 'pg';
import type { LimitName } from '../../../shared/contract/limits.ts';
import type { Clock } from '../../../shared/contract/moments.ts';
import { createBatchQueue, TooManyWaitingError } from '../../../shared/runtime/batch-loader.ts';
import type { Decision, RateLimiter } from '../rate-limiter.ts';
import { type LimitConnection, LimitsAwayError } from './limit-connection.ts';
import {
  bucketStatement,
  type LimitRow,
  type LimitStatement,
  peekStatement,
  type Size,
  windowStatement,
} from './limit-statements.ts';
import { sizedTiers, type TierSettings } from './tiers.ts';

interface DatabaseRateLimiterOptions {
  tiers: TierSettings;
  connection: LimitConnection;
  /** Mixed into what is stored, so that nobody reads addresses from the table. The same in all processes. */
  secretKey: string;
  /** Called for each request that is let through uncounted, since the database does not answer. */
  onUncounted(tier: LimitName): void;
  /** The database's own when left out. */
  clock?: Clock;
}

interface CountedTier {
  statement: LimitStatement;
  size: Size;
  /** Most that can be taken at once. */
  limit: number;
}

/** One question about one subject. */
interface Ask extends CountedTier {
  key: string;
  wants: 'take' | 'peek' | 'refund';
}

const statements = [bucketStatement, windowStatement];

/**
 * Creates a limiter that counts in the database, exactly across all processes. Requests that arrive in one turn of the event loop, or
 * while a statement runs, share the next statement. While the database does not answer, or 10,000 requests wait, requests are
 * allowed uncounted.
 */
export function createDatabaseRateLimiter(options: DatabaseRateLimiterOptions): RateLimiter {
  const { connection, secretKey, onUncounted, clock } = options;
  const counted = new Map<LimitName, CountedTier>();
  for (const { name, kind, size } of sizedTiers(options.tiers)) {
    counted.set(
      name,
      kind === 'bucket'
        ? { statement: bucketStatement, size: [size.perMinute, size.burst], limit: size.burst }
        : { statement: windowStatement, size: [size.most, size.minutes], limit: size.most },
    );
  }
  const nowMs = () => clock?.now().getTime() ?? null;
  const known = createKnownRows();
  connection.beginWith(known.restore);
  const settled = createBatchQueue((asks: Ask[]) => settle({ connection, known, nowMs: nowMs() }, asks));

  const ask = async (name: LimitName, subject: string, wants: Ask['wants']) => {
    const tier = counted.get(name);
    if (!tier) return null;
    const key = keyOf([secretKey, name, ...tier.size, subject]);
    try {
      return await settled({ ...tier, key, wants });
    } catch (error) {
      if (!(error instanceof LimitsAwayError || error instanceof TooManyWaitingError)) throw error;
      if (wants === 'take') onUncounted(name);
      return untouched(tier.limit, nowMs() ?? Date.now());
    }
  };
  return {
    take: (tier, subject) => ask(tier, subject, 'take'),
    peek: (tier, subject) => ask(tier, subject, 'peek'),
    refund: async (tier, subject) => void (await ask(tier, subject, 'refund')),
  };
}

/** With the size in it a tier that is set anew begins anew: states of different sizes can't be compared. */
const keyOf = (parts: readonly (string | number)[]) =>
  hash('sha256', parts.join('/'), 'base64url').slice(0, 22);

const untouched = (limit: number, nowMs: number): Decision => ({
  allowed: true,
  limit,
  remaining: limit,
  resetAt: Math.ceil(nowMs / 1_000),
  retryAfter: 0,
});

interface Moment {
  connection: LimitConnection;
  known: KnownRows;
  /** Null for that of the database. */
  nowMs: number | null;
}

/** What is given back can be taken at once by who asks in the same batch. */
async function settle(moment: Moment, asks: readonly Ask[]) {
  const refunds = asks.filter(({ wants }) => wants === 'refund');
  const others = asks.filter(({ wants }) => wants !== 'refund');
  const replays = new Map<string, ReturnType<LimitStatement['replay']>>();
  for (const statement of statements) await count(moment, statement, refunds);
  for (const statement of statements) {
    const rows = await count(moment, statement, others);
    for (const { row, size } of rows) replays.set(row.key, statement.replay(row, size));
  }
  return ({ key, wants }: Ask) => (wants === 'refund' ? null : (replays.get(key)?.(wants) ?? null));
}

const numbers = { take: 1, peek: 0, refund: -1 } as const;

/** Asks what belongs to one statement, each subject once however many requests it has; answers the subjects' rows. */
async function count({ connection, known, nowMs }: Moment, statement: LimitStatement, asks: readonly Ask[]) {
  const subjects = new Map<string, { size: Size; wanted: number }>();
  for (const { key, size, wants, statement: own } of asks) {
    if (own !== statement) continue;
    const subject = subjects.get(key) ?? { size, wanted: 0 };
    subject.wanted += numbers[wants];
    subjects.set(key, subject);
  }
  const sorted = [...subjects].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const wanting = sorted.filter(([, { wanted }]) => wanted !== 0);
  const looking = sorted.filter(([, { wanted }]) => wanted === 0).map(([key]) => key);
  const rows: LimitRow[] = [];
  if (wanting.length > 0) {
    const values = [
      wanting.map(([key]) => key),
      wanting.map(([, { size }]) => size[0]),
      wanting.map(([, { size }]) => size[1]),
      wanting.map(([, { wanted }]) => wanted),
      nowMs,
    ];
    const { name, text } = statement;
    rows.push(...(await connection.query<LimitRow>({ name, text, values })));
    for (const row of rows) known.note(row, subjects.get(row.key)?.size ?? [0, 0]);
  }
  if (looking.length > 0)
    rows.push(...(await connection.query<LimitRow>({ ...peekStatement, values: [looking, nowMs] })));
  return rows.flatMap((row) => {
    const subject = subjects.get(row.key);
    return subject ? [{ row, size: subject.size }] : [];
  });
}

/** Of as many subjects as asked last. */
const mostKnown = 5_000;

/** Rows of a statement, so that each takes a small part of the time that it has. */
const atOnce = 500;

/*
 * Of a window those of before are older than all that were let through since; those that the row has dropped are over. Rows
 * are locked in the order of their keys, as all who count do.
 */
const restoreSql = `
insert into rate_limits as kept (key, per_minute, burst, asked_at, granted, full_at, taken)
select key, per_minute, burst, asked_at, 0, full_at, taken
from json_to_recordset($1) as known (key text, per_minute integer, burst integer, asked_at double precision,
  full_at double precision, taken double precision[])
order by key collate "C"
on conflict (key) do update set
  asked_at = greatest(kept.asked_at, excluded.asked_at),
  full_at = greatest(kept.full_at, excluded.full_at),
  taken = array(select t from unnest(excluded.taken) as t where t < all (kept.taken)) || kept.taken`;

/**
 * What this process last saw of each subject's row. The table is not in the write-ahead log, so a crash of PostgreSQL or a
 * standby that takes over empties it, and nobody is to begin anew by that.
 */
function createKnownRows() {
  const known = new Map<string, object>();
  return {
    note({ key, asked_at, full_at, taken = null }: LimitRow, [per_minute, burst]: Size) {
      // The latest stand last.
      known.delete(key);
      known.set(key, { key, per_minute, burst, asked_at, full_at, taken });
      const [oldest] = known.size > mostKnown ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
    },
    /** Statements that put back what is missing, the latest first. */
    restore(): pg.QueryConfig[] {
      const rows = [...known.values()].reverse();
      const parts = Array.from({ length: Math.ceil(rows.length / atOnce) }, (_, n) =>
        rows.slice(n * atOnce, (n + 1) * atOnce),
      );
      return parts.map((part) => ({ text: restoreSql, values: [JSON.stringify(part)] }));
    },
  };
}

type KnownRows = ReturnType<typeof createKnownRows>;
