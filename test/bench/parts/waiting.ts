import { sql } from 'kysely';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { systemClock } from '../../../shared/contract/timestamps.ts';
import { runRound } from '../../../worker/deliveries/dispatcher.ts';
import { scheduled } from '../../../worker/deliveries/queues.ts';
import { failLostLastAttempts } from '../../../worker/deliveries/sweep.ts';
import { findDue } from '../../../worker/jobs/find-due.ts';
import type { Bench, Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { createSubscription, openOperator } from '../site.ts';
import { quantile } from '../statistics.ts';

const waitingRetries = 300_000;
const subscriptions = 20;
const fetches = 200;
const maxMs = 1;

type Operator = Awaited<ReturnType<typeof openOperator>>;

/** Additional duration of a fetch (one sweep and one claim) while very many retries wait for later. */
export const waiting: Part = async (bench) => {
  await using few = await fetcher(bench, 'bench_waiting_few', subscriptions);
  await using many = await fetcher(bench, 'bench_waiting_many', waitingRetries);
  const tookMs: { few: number; many: number }[] = [];
  for (let n = 0; n < fetches; n++) tookMs.push({ few: await few.fetchMs(n), many: await many.fetchMs(n) });
  const undisturbed = (values: number[]) => quantile(values, 0.1);
  const fewMs = undisturbed(tookMs.map((took) => took.few));
  const manyMs = undisturbed(tookMs.map((took) => took.many));
  const moreMs = manyMs - fewMs;
  return [
    {
      work: `one fetch with ${count(waitingRetries)} retries waiting, more than with ${subscriptions}, p10`,
      target: `<= ${millis(maxMs)}`,
      result: `${millis(moreMs)} (${millis(manyMs)} to ${millis(fewMs)})`,
      met: moreMs <= maxMs,
      values: { moreMs, fewMs, manyMs },
    },
  ];
};

/** Creates a database with this many waiting retries, and measures a fetch in it. */
async function fetcher(bench: Bench, name: string, retries: number) {
  const operator = await openOperator(await bench.createDatabase(name));
  const { database } = operator;
  const siteId = await createSite(operator, { name: 'A site', plan: 'pro' });
  const subscriptionIds: string[] = [];
  for (let n = 0; n < subscriptions; n++) {
    subscriptionIds.push(await createSubscription(operator, siteId, 'https://example.com/hook'));
  }
  await addRetries(operator, { siteId, subscriptionIds, retries });
  return {
    async fetchMs(n: number) {
      const wanted = [{ site_id: siteId, subscription_id: subscriptionIds[n % subscriptions] ?? '' }];
      const startedAt = performance.now();
      await failLostLastAttempts(database);
      await findDue({ database, clock: systemClock, publicUrl: new URL('http://localhost:3000') }, 13_000);
      await runRound(database, {
        queue: scheduled,
        outcomes: [],
        wanted,
        perSubscription: 10,
        leaseMs: 13_000,
      });
      return performance.now() - startedAt;
    },
    [Symbol.asyncDispose]: () => operator[Symbol.asyncDispose](),
  };
}

/** Adds retries that are due in one to twelve hours. */
async function addRetries(
  { database }: Operator,
  { siteId, subscriptionIds, retries }: { siteId: string; subscriptionIds: string[]; retries: number },
) {
  const db = database.em.getKysely();
  await sql`
    insert into webhook_deliveries (site_id, id, subscription_id, event, status, attempt_count, attempt_limit, in_replay, due_at, created, updated)
    select ${siteId}, substr(md5(random()::text), 1, 15), (${subscriptionIds}::text[])[1 + n % ${subscriptions}::integer],
      'content.created', 'retrying', 3, 6, false, now() + interval '1 hour' + n % 40000 * interval '1 second', now(), now()
    from generate_series(1, ${retries}::integer) n`.execute(db);
  await sql`vacuum analyze webhook_deliveries`.execute(db);
}
