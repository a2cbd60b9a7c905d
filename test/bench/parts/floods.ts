import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { createOwner } from '../../../server/accounts/sites/owners.ts';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { eventually } from '../../support/eventually.ts';
import type { Bench, Part } from '../bench.ts';
import { type FloodingReceivers, startFloodingReceivers } from '../flooding.ts';
import { cpuSeconds } from '../processes.ts';
import { startReader } from '../reader.ts';
import { cpu, cpuMsEach, millis, times } from '../report.ts';
import { post } from '../service.ts';
import { createSubscription, seedSite } from '../site.ts';
import { median, quantile } from '../statistics.ts';
import { steadily } from '../steadily.ts';
import { fire, startWebhooks, timeoutMs } from '../webhooks.ts';

const floodingReceivers = 10;
const maxTimes = 1.2;

/** Events per second whose deliveries are measured, and events per second for the ten receivers. */
const perSecond = { measured: 40, flooding: 2 };

/** Pause between two test deliveries to one receiver, in milliseconds. */
const pauseMs = 200;

type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

/** Measurement while the receivers behave or flood: times in milliseconds, and the process that does the work. */
interface Subject {
  pid: number;
  measure(seconds: number): Promise<number[]>;
}

/** Cost for others of receivers whose answers never end, compared alternately with receivers that answer correctly. */
export const floods: Part = async (bench) => {
  await using webhooks = await startWebhooks(bench, 'bench_floods');
  await using receivers = await startFloodingReceivers();
  const { siteId, authorization } = await seedSite(webhooks.operator, 1_000);
  const ids: string[] = [];
  for (let n = 0; n < floodingReceivers; n++)
    ids.push(await createSubscription(webhooks.operator, siteId, `${receivers.url}/${n}`));
  const deliveries = await inTurns(bench, receivers, await deliveriesBeside(webhooks, siteId));
  await using beside = await readsBeside(webhooks, { siteId, ids, authorization });
  const reads = await inTurns(bench, receivers, beside);
  return [
    row(
      `deliveries to others while ${floodingReceivers} receivers flood, p99 to that while they don't`,
      deliveries,
    ),
    row(
      `API reads during test deliveries to ${floodingReceivers} such receivers, p99 to that while they don't`,
      reads,
    ),
  ];
};

/** Measures deliveries to another site's receiver, from commit to arrival, while the ten receivers get events too. */
async function deliveriesBeside(webhooks: Webhooks, floodedId: string): Promise<Subject> {
  const otherId = await createSite(webhooks.operator, { name: 'Another', plan: 'pro' });
  await webhooks.subscribe(otherId, 1);
  const { pid } = webhooks.startWorker();
  const measure = async (seconds: number) => {
    await forgive(webhooks);
    const committedAtMs = new Map<string, number>();
    await steadily(seconds, perSecond.measured, async (n) => {
      if (n % (perSecond.measured / perSecond.flooding) === 0)
        await fire(webhooks.operator, floodedId, 'any');
      await fire(webhooks.operator, otherId, `record-${n}`);
      committedAtMs.set(`record-${n}`, performance.timeOrigin + performance.now());
    });
    const arrivals: Awaited<ReturnType<Webhooks['arrivals']>> = [];
    await eventually(async () => {
      arrivals.push(...(await webhooks.arrivals()));
      return arrivals.length >= committedAtMs.size;
    }, timeoutMs);
    return arrivals.map(({ record, atMs }) => atMs - (committedAtMs.get(record) ?? Number.NaN));
  };
  return { pid, measure };
}

/** Measures reads over REST while the owner repeatedly tests all ten webhooks. */
async function readsBeside(
  webhooks: Webhooks,
  site: { siteId: string; ids: readonly string[]; authorization: { authorization: string } },
): Promise<Subject & AsyncDisposable> {
  const login = { email: 'owner@example.com', password: 'correct horse battery' };
  await createOwner(webhooks.operator, site.siteId, { name: 'Olive Owner', ...login });
  const { url, pid } = await webhooks.startServer();
  const reader = await startReader(url, site.authorization.authorization, 1_000);
  const { token } = z.object({ token: z.string() }).parse(await post(`${url}/api/admin/session`, {}, login));
  const measure = async (seconds: number) => {
    const ended = new AbortController();
    const testing = site.ids.map(async (id) => {
      while (!ended.signal.aborted) {
        await post(`${url}/api/admin/webhooks/${id}/test`, { authorization: `Bearer ${token}` });
        await delay(pauseMs);
      }
    });
    // Errors surface when the tests are awaited.
    for (const test of testing) test.catch(() => {});
    const tookMs = await reader.read(seconds);
    ended.abort();
    await Promise.all(testing);
    return tookMs;
  };
  return { pid, measure, [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose]() };
}

interface Turn {
  p99Ms: number;
  cpuMs: number | null;
}

interface Round {
  rest: Turn;
  flood: Turn;
  flooded: number;
}

/** Measures alternately with receivers that behave and that flood. */
async function inTurns(
  bench: Bench,
  receivers: FloodingReceivers,
  { pid, measure }: Subject,
): Promise<Round[]> {
  const rounds: Round[] = [];
  const turn = async (): Promise<Turn> => {
    const before = await cpuSeconds(pid);
    const p99Ms = quantile(await measure(bench.seconds), 0.99);
    return { p99Ms, cpuMs: cpuMsEach(before, await cpuSeconds(pid), 1) };
  };
  await turn();
  for (let round = 0; round < bench.rounds; round++) {
    const before = await receivers.tell('rest');
    const rest = await turn();
    await receivers.tell('flood');
    const flood = await turn();
    rounds.push({ rest, flood, flooded: (await receivers.tell('rest')) - before });
  }
  if (rounds.some(({ flooded }) => flooded === 0)) throw new Error('nothing was flooded');
  return rounds;
}

/** Enables subscriptions again: ten consecutive failures disable one, which would end its flood. */
async function forgive({ operator }: Webhooks) {
  const db = operator.database.em.getKysely();
  await sql`update webhook_subscriptions set active = true, failed_began = '{}'`.execute(db);
}

function row(work: string, rounds: readonly Round[]) {
  const ratio = median(rounds.map(({ rest, flood }) => flood.p99Ms / rest.p99Ms));
  const restMs = median(rounds.map(({ rest }) => rest.p99Ms));
  const floodMs = median(rounds.map(({ flood }) => flood.p99Ms));
  const moreCpuMs = median(
    rounds.map(({ rest, flood, flooded }) => ((flood.cpuMs ?? 0) - (rest.cpuMs ?? 0)) / flooded),
  );
  return {
    work,
    target: `<= ${times(maxTimes)}`,
    result: `${times(ratio)} (${millis(floodMs)} to ${millis(restMs)}; CPU of each flood ${cpu(moreCpuMs)} more)`,
    met: ratio <= maxTimes,
    values: { ratio, floodMs, restMs, moreCpuMs },
  };
}
