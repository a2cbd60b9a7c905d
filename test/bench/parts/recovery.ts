import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createSite } from '../../../server/accounts/sites/store.ts';
import type { StoreDeps } from '../../../server/api/deps.ts';
import { eventually } from '../../support/eventually.ts';
import type { Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { quantile } from '../statistics.ts';
import { steadily } from '../steadily.ts';
import { fire, startWebhooks, timeoutMs } from '../webhooks.ts';

/** Receivers that answer after a second, so that attempts are always in flight, and that refuse each delivery once. */
const subscriptions = { late: 20, 'fail-first': 10 };

const retryAfterMs = 2_000;

/** Lease of an attempt in milliseconds: 10 s for the receiver, and 3 s for the worker's own work. */
const leaseMs = 13_000;

const killEveryMs = 5_000;
const max = { recoveryMs: 15_000, lateMs: 1_000 };

/** Attempt that was in flight at a kill, by the database's clock (Unix time in ms). */
interface UnderWay {
  id: string;
  attempt: number;
  leaseUntilMs: number;
  atMs: number;
}

/**
 * Recovery after one of two workers is killed every five seconds. Measures the time until its attempts are made again,
 * and the delay of retries that it had not begun.
 */
export const recovery: Part = async (bench) => {
  await using webhooks = await startWebhooks(bench, 'bench_recovery', '2,2,2,2,2');
  const { operator } = webhooks;
  const late = await createSite(operator, { name: 'A site', plan: 'pro' });
  const refused = await createSite(operator, { name: 'Another', plan: 'pro' });
  await webhooks.subscribe(late, subscriptions.late, 'late');
  await webhooks.subscribe(refused, subscriptions['fail-first'], 'fail-first');
  const workers = [webhooks.startWorker(), webhooks.startWorker()];
  const kills = 4 * bench.rounds;
  const seconds = ((kills + 1) * killEveryMs) / 1_000;
  const underWay: UnderWay[] = [];

  const killAll = async () => {
    for (let n = 0; n < kills; n++) {
      await delay(killEveryMs);
      workers.shift()?.child.kill('SIGKILL');
      underWay.push(...(await attemptsUnderWay(operator)));
      workers.push(webhooks.startWorker());
    }
  };
  await Promise.all([
    killAll(),
    steadily(seconds, 2, async (n) => {
      await fire(operator, late, `late-${n}`);
      if (n % 4 === 0) await fire(operator, refused, `refused-${n}`);
    }),
  ]);
  await eventually(async () => (await countOpen(operator)) === 0, timeoutMs);

  const recoveredMs = await recoveriesMs(operator, underWay);
  const held = new Set(underWay.map(({ id }) => id));
  const arrivals = Map.groupBy(await webhooks.arrivals(), ({ delivery }) => delivery);
  const lateMs = [...arrivals].flatMap(([delivery, [first, second]]) =>
    first?.record.startsWith('refused') && second && !held.has(delivery)
      ? [second.atMs - first.atMs - retryAfterMs]
      : [],
  );
  return [
    row(`attempts of workers killed (${kills} times) until they are made again`, recoveredMs, max.recoveryMs),
    row('retries meanwhile, after their delay', lateMs, max.lateMs),
  ];
};

async function attemptsUnderWay({ database }: StoreDeps): Promise<UnderWay[]> {
  const { rows } = await sql<UnderWay>`
    select id, attempt_count as attempt, (extract(epoch from lease_until) * 1000)::float8 as "leaseUntilMs",
      (extract(epoch from clock_timestamp()) * 1000)::float8 as "atMs"
    from webhook_deliveries where lease_until > clock_timestamp()`.execute(database.em.getKysely());
  return rows;
}

async function countOpen({ database }: StoreDeps): Promise<number> {
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as open from webhook_deliveries where status not in ('delivered', 'failed')
  `.execute(database.em.getKysely());
  return rows[0]?.open ?? Number.NaN;
}

/** Returns the times from the kill to the beginning of the next attempt, for attempts without an outcome. */
async function recoveriesMs({ database }: StoreDeps, underWay: readonly UnderWay[]) {
  const { rows } = await sql<{ id: string; attempt: number; startedMs: number }>`
    select delivery_id as id, attempt, (extract(epoch from started) * 1000)::float8 as "startedMs"
    from webhook_attempts`.execute(database.em.getKysely());
  const ended = new Map(rows.map(({ id, attempt, startedMs }) => [`${id}/${attempt}`, startedMs]));
  const lostAgain = new Map(
    underWay.map(({ id, attempt, leaseUntilMs }) => [`${id}/${attempt}`, leaseUntilMs - leaseMs]),
  );
  const counted = new Set<string>();
  return underWay.flatMap(({ id, attempt, atMs }) => {
    const own = `${id}/${attempt}`;
    // An attempt of one kill can still be in flight at the next.
    if (ended.has(own) || counted.has(own)) return [];
    counted.add(own);
    const next = `${id}/${attempt + 1}`;
    return [(ended.get(next) ?? lostAgain.get(next) ?? Number.NaN) - atMs];
  });
}

function row(work: string, tookMs: readonly number[], maxMs: number) {
  const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
  return {
    work: `${work}, p99 of ${count(tookMs.length)}`,
    target: `<= ${count(maxMs)} ms`,
    result: `${millis(p99)} (p50 ${millis(p50)})`,
    met: p99 <= maxMs,
    values: { p50Ms: p50, p99Ms: p99, counted: tookMs.length },
  };
}
