import { sql } from 'kysely';
import { createSite } from '../../../server/site/store.ts';
import { runRound } from '../../../worker/delivery/round.ts';
import { failExhausted, findDue, hasOverdueEvents } from '../../../worker/delivery/sweep.ts';
import type { Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { createSubscription, openOperator } from '../site.ts';
import { median } from '../statistics.ts';

const waitingRetries = 300_000;
const subscriptions = 20;
const fetches = 200;
const mostMs = 1;

type Operator = Awaited<ReturnType<typeof openOperator>>;

/** What a fetch (one sweep and one claim) costs more when very many retries wait for later. */
export const waiting: Part = async (bench) => {
  await using operator = await openOperator(await bench.createDatabase('bench_waiting'));
  const siteId = await createSite(operator, { name: 'A site', plan: 'pro' });
  const subscriptionIds: string[] = [];
  for (let n = 0; n < subscriptions; n++) {
    subscriptionIds.push(await createSubscription(operator, siteId, 'https://example.com/hook'));
  }
  await addRetries(operator, { siteId, subscriptionIds, retries: subscriptions });
  const few = await fetchMs(operator, { siteId, subscriptionIds });
  await addRetries(operator, { siteId, subscriptionIds, retries: waitingRetries });
  const many = await fetchMs(operator, { siteId, subscriptionIds });
  return [
    {
      work: `one fetch with ${count(waitingRetries)} retries waiting, more than with ${subscriptions}`,
      target: `<= ${millis(mostMs)}`,
      result: `${millis(many - few)} (${millis(many)} to ${millis(few)})`,
      met: many - few <= mostMs,
      values: { fewMs: few, manyMs: many },
    },
  ];
};

async function fetchMs(
  { database }: Operator,
  { siteId, subscriptionIds }: { siteId: string; subscriptionIds: string[] },
) {
  const tookMs: number[] = [];
  for (let n = 0; n < fetches; n++) {
    const wanted = [{ site_id: siteId, subscription_id: subscriptionIds[n % subscriptions] ?? '' }];
    const startedAt = performance.now();
    await failExhausted(database);
    await hasOverdueEvents(database);
    await findDue(database);
    await runRound(database, { outcomes: [], wanted, perSubscription: 10, leaseMs: 13_000 });
    tookMs.push(performance.now() - startedAt);
  }
  return median(tookMs);
}

/** Retries due in one to twelve hours. */
async function addRetries(
  { database }: Operator,
  { siteId, subscriptionIds, retries }: { siteId: string; subscriptionIds: string[]; retries: number },
) {
  const db = database.em.getKysely();
  await sql`
    insert into webhook_deliveries (site_id, id, subscription_id, event, status, attempt_count, due_at, created, updated)
    select ${siteId}, substr(md5(random()::text), 1, 15), (${subscriptionIds}::text[])[1 + n % ${subscriptions}::integer],
      'content.created', 'retrying', 3, now() + interval '1 hour' + n % 40000 * interval '1 second', now(), now()
    from generate_series(1, ${retries}::integer) n`.execute(db);
  await sql`vacuum analyze webhook_deliveries`.execute(db);
}
