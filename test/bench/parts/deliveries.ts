import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { scheduled } from '../../../worker/deliveries/queues.ts';
import { eventually } from '../../support/eventually.ts';
import type { Part } from '../bench.ts';
import { cpuSeconds } from '../processes.ts';
import { count, cpu, cpuMsEach, perSecond, times } from '../report.ts';
import { startWebhooks, timeoutMs } from '../webhooks.ts';

const sites = 4;
const subscriptionsPerSite = 5;
const minPerSecond = 3_500;

/** Ratio of the worker before each attempt became a row, measured alternately; see BENCHMARKS.md. */
const minOfBare = 0.23;

/** Maximum number of concurrent attempts of one worker for these subscriptions. */
const inFlight = sites * subscriptionsPerSite * scheduled.maxPerSubscription;

/** Number of pending and running deliveries during the measurement, enough that the worker is never idle. */
const outstanding = 1_500;

const warmUpSeconds = 5;

/** Sustained number of signed deliveries per second of one worker, over TLS and plain HTTP, with each outcome committed. */
export const deliveries: Part = async (bench) => {
  await using webhooks = await startWebhooks(bench, 'bench_deliveries');
  const { operator } = webhooks;
  const siteIds: string[] = [];
  for (let n = 0; n < sites; n++) {
    const siteId = await createSite(operator, { name: `Site ${n}`, plan: 'pro' });
    await webhooks.subscribe(siteId, subscriptionsPerSite);
    siteIds.push(siteId);
  }
  const bareBefore = await webhooks.sendBare(bench.seconds, inFlight);
  const sentBare = await webhooks.received();
  const received = async () => (await webhooks.received()) - sentBare;
  const worker = webhooks.startWorker();
  let fired = 0;
  const topUp = async () => {
    const missing = outstanding - (fired * subscriptionsPerSite - (await received()));
    const events = Math.floor(missing / subscriptionsPerSite);
    if (events > 0) await fireEvents(operator, siteIds, events);
    fired += Math.max(0, events);
  };
  const keepUp = async (seconds: number) => {
    const endsAt = performance.now() + seconds * 1_000;
    while (performance.now() < endsAt) {
      await topUp();
      await delay(25);
    }
  };
  await keepUp(warmUpSeconds);
  const startedAt = performance.now();
  const [before, workerBefore, databaseBefore] = [
    await received(),
    await cpuSeconds(worker.pid),
    await bench.databaseCpuSeconds(),
  ];
  await keepUp(bench.longSeconds);
  const done = (await received()) - before;
  const rate = (done * 1_000) / (performance.now() - startedAt);
  const workerCpuMs = cpuMsEach(workerBefore, await cpuSeconds(worker.pid), done);
  const databaseCpuMs = cpuMsEach(databaseBefore, await bench.databaseCpuSeconds(), done);
  const total = fired * subscriptionsPerSite;
  await eventually(async () => (await received()) >= total, timeoutMs);
  await delay(1_000);
  const { rows } = await sql<{ delivered: number; attempts: number }>`
    select count(*) filter (where status = 'delivered') as delivered, sum(attempt_count) as attempts from webhook_deliveries
  `.execute(operator.database.em.getKysely());
  const { delivered, attempts } = rows[0] ?? { delivered: 0, attempts: 0 };
  const arrived = await received();
  const exact = delivered === total && attempts === total && arrived === total;
  const bare = (bareBefore + (await webhooks.sendBare(bench.seconds, inFlight))) / 2;
  const ofBare = rate / bare;
  return [
    {
      work: `signed deliveries, sustained for ${bench.longSeconds} s`,
      target: `>= ${perSecond(minPerSecond)}`,
      result: `${perSecond(rate)} (CPU each: worker ${cpu(workerCpuMs)}, database ${cpu(databaseCpuMs)})`,
      met: rate >= minPerSecond,
      values: { perSecond: rate, workerCpuMs, databaseCpuMs },
    },
    {
      work: 'the same, to a sender that signs and sends but remembers nothing',
      target: `>= ${times(minOfBare)}`,
      result: `${times(ofBare)} (${perSecond(rate)} to ${perSecond(bare)})`,
      met: ofBare >= minOfBare,
      values: { ratio: ofBare, barePerSecond: bare },
    },
    {
      work: 'of them fired, received once, and recorded as delivered',
      target: 'all',
      result: `${count(total)}, ${count(arrived)}, ${count(delivered)}`,
      met: exact,
      values: { fired: total, delivered, attempts },
    },
  ];
};

/** Records events as `recordEvent` does, many in one statement, so that recording costs little. */
async function fireEvents(
  { database }: Awaited<ReturnType<typeof startWebhooks>>['operator'],
  siteIds: string[],
  events: number,
) {
  await sql`
    with recorded as (
      insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
      select (${siteIds}::text[])[1 + n % ${siteIds.length}::integer], substr(md5(random()::text), 1, 15), 'content.created',
        '{"event":"content.created","timestamp":"2026-01-31T09:05:00.123Z","data":{"id":"' || n || '","collection":"posts","title":"Type-safe APIs without a build step","slug":"type-safe-apis"}}',
        clock_timestamp(), true
      from generate_series(1, ${events}::integer) n
      returning site_id, id
    )
    select graphile_worker.add_job('fan_out_event', json_build_object('site_id', site_id, 'event_id', id), max_attempts => 1)
    from recorded`.execute(database.em.getKysely());
}
