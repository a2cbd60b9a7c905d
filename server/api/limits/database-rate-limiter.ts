import { hash } from 'node:crypto';
import type pg from 'pg';
import type { LimitName } from '../../../shared/contract/limits.ts';
import type { Clock } from '../../../shared/contract/timestamps.ts';
import { createBatchQueue, TooManyWaitingError } from '../../../shared/runtime/batch-loader.ts';
import type { Decision, RateLimiter } from '../rate-limiter.ts';
import { type LimitConnection, LimitsUnavailableError } from './limit-connection.ts';
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
  /** Key that hashes subjects, so that the table contains no readable addresses. The same in all processes. */
  secretKey: string;
  /** Called for each request that is allowed uncounted because the database does not answer. */
  onUncounted(tier: LimitName): void;
  /** Clock of decisions; undefined for the database's own. */
  clock?: Clock;
}

interface CountedTier {
  statement: LimitStatement;
  size: Size;
  /** Burst size of a bucket, or maximum number of requests in a window. */
  limit: number;
}

interface LimitQuery extends CountedTier {
  key: string;
  wants: 'take' | 'peek' | 'refund';
}

const statements = [bucketStatement, windowStatement];

/**
 * Database rate limiter: counts exactly across all server processes, in the unlogged table `rate_limits`.
 *
 *   counting ──no answer within 2 s, or the connection fails twice──▶ unavailable ──probe succeeds──▶ counting
 *
 * Counting: requests of two event loop turns, and those that arrive while a batch runs, share the next batch. It has one
 * statement for each kind of tier, which returns one row per subject. Each request's decision is replayed from that row.
 * Refunds have statements of their own. These run first, so that a request of the same batch can take the refund.
 *
 * Unavailable: requests are allowed uncounted and reported to `onUncounted`. Probes run every 250 ms
 * (`limit-connection.ts`). A request is also allowed uncounted if 10,000 others wait.
 *
 * The table is not in the write-ahead log, so a crash or fail-over of PostgreSQL empties it. Each process remembers the
 * last 5,000 subjects and restores their rows on every new connection.
 */
export function createDatabaseRateLimiter(options: DatabaseRateLimiterOptions): RateLimiter {
  const { connection, secretKey, onUncounted, clock } = options;
  const counted = new Map<LimitName, CountedTier>();
  for (const { name, kind, size } of sizedTiers(options.tiers)) {
    counted.set(
      name,
      kind === 'bucket'
        ? { statement: bucketStatement, size: [size.perMinute, size.burst], limit: size.burst }
        : { statement: windowStatement, size: [size.max, size.minutes], limit: size.max },
    );
  }
  const nowMs = () => clock?.now().getTime() ?? null;
  const known = createKnownRows();
  connection.beginWith(known.restore);
  const settled = createBatchQueue((queries: LimitQuery[]) =>
    settle({ connection, known, nowMs: nowMs() }, queries),
  );

  const runQuery = async (name: LimitName, subject: string, wants: LimitQuery['wants']) => {
    const tier = counted.get(name);
    if (!tier) return null;
    const key = keyOf([secretKey, name, ...tier.size, subject]);
    try {
      return await settled({ ...tier, key, wants });
    } catch (error) {
      if (!(error instanceof LimitsUnavailableError || error instanceof TooManyWaitingError)) throw error;
      if (wants === 'take') onUncounted(name);
      return untouched(tier.limit, nowMs() ?? Date.now());
    }
  };
  return {
    take: (tier, subject) => runQuery(tier, subject, 'take'),
    peek: (tier, subject) => runQuery(tier, subject, 'peek'),
    refund: async (tier, subject) => void (await runQuery(tier, subject, 'refund')),
  };
}

/**
 * Hashes a subject. The tier's size is part of the key, so that counting restarts when an operator changes it: states
 * of different sizes are not comparable.
 */
const keyOf = (parts: readonly (string | number)[]) =>
  hash('sha256', parts.join('/'), 'base64url').slice(0, 22);

const untouched = (limit: number, nowMs: number): Decision => ({
  allowed: true,
  limit,
  remaining: limit,
  resetAt: Math.ceil(nowMs / 1_000),
  retryAfter: 0,
});

interface CountContext {
  connection: LimitConnection;
  known: KnownRows;
  /** Time of the batch in milliseconds since 1970; null for the time of the database's clock. */
  nowMs: number | null;
}

/** Runs a batch. Refunds come first, so that requests of the same batch can use them. */
async function settle(context: CountContext, queries: readonly LimitQuery[]) {
  const refunds = queries.filter(({ wants }) => wants === 'refund');
  const others = queries.filter(({ wants }) => wants !== 'refund');
  const replays = new Map<string, ReturnType<LimitStatement['replay']>>();
  for (const statement of statements) await count(context, statement, refunds);
  for (const statement of statements) {
    const rows = await count(context, statement, others);
    for (const { row, size } of rows) replays.set(row.key, statement.replay(row, size));
  }
  return ({ key, wants }: LimitQuery) => (wants === 'refund' ? null : (replays.get(key)?.(wants) ?? null));
}

const numbers = { take: 1, peek: 0, refund: -1 } as const;

/** Runs the queries of one statement, with each subject once, and returns the subjects' rows. */
async function count(
  { connection, known, nowMs }: CountContext,
  statement: LimitStatement,
  queries: readonly LimitQuery[],
) {
  const subjects = new Map<string, { size: Size; wanted: number }>();
  for (const { key, size, wants, statement: own } of queries) {
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

/** Maximum number of remembered subjects; the least recently counted ones are dropped. */
const maxKnown = 5_000;

/** Number of rows of one restoring statement, so that it stays far below its timeout. */
const atOnce = 500;

/*
 * For a window, adds the remembered times that are older than every stored one. Expired times do not matter: the next
 * statement drops them. Rows are locked in the order of their keys, as in all other statements.
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
 * Creates a memory of each subject's last row, to restore the table after a crash or fail-over of PostgreSQL emptied
 * it. Otherwise every client would start with a full limit.
 */
function createKnownRows() {
  const known = new Map<string, object>();
  return {
    note({ key, asked_at, full_at, taken = null }: LimitRow, [per_minute, burst]: Size) {
      // Moves the row to the end of the map's order.
      known.delete(key);
      known.set(key, { key, per_minute, burst, asked_at, full_at, taken });
      const [oldest] = known.size > maxKnown ? known.keys() : [];
      if (oldest !== undefined) known.delete(oldest);
    },
    /** Creates statements that restore missing rows, the latest first. */
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
