import { sql } from 'kysely';
import { z } from 'zod';
import { createOwner } from '../../../server/accounts/sites/owners.ts';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { webhookLimits as limits } from '../../../shared/contract/features/webhooks.ts';
import type { SubscriptionKey } from '../../../shared/db/webhook-subscriptions.ts';
import { eventually } from '../../support/eventually.ts';
import type { Part } from '../bench.ts';
import { count, millis, times } from '../report.ts';
import { post } from '../service.ts';
import { quantile } from '../statistics.ts';
import { steadily } from '../steadily.ts';
import { fire, startWebhooks, timeoutMs } from '../webhooks.ts';

const eventsPerSecond = 100;
const maxTimes = 1.2;

type Webhooks = Awaited<ReturnType<typeof startWebhooks>>;

/**
 * Slowdown of fresh deliveries to others during a replay of the maximum number of events. Compared with equally long
 * periods before and after it.
 */
export const replays: Part = async (bench) => {
  await using webhooks = await startWebhooks(bench, 'bench_replays');
  const { operator } = webhooks;
  const fresh = await createSite(operator, { name: 'Fresh', plan: 'pro' });
  await webhooks.subscribe(fresh, 1);
  const replayed = await prepareReplay(webhooks);
  const replayAll = await startReplays(webhooks, replayed);
  webhooks.startWorker();
  await freshMs(webhooks, fresh, after(bench.seconds));
  const restBefore = await freshMs(webhooks, fresh, after(bench.longSeconds));
  const startedAt = performance.now();
  const { count: requested } = await replayAll();
  if (requested !== limits.eventsPerReplay) throw new Error(`${requested} events were replayed`);
  const replaying = await freshMs(webhooks, fresh, () => isOver(operator, replayed));
  const perSecond = (requested * 1_000) / (performance.now() - startedAt);
  const rest = [...restBefore, ...(await freshMs(webhooks, fresh, after(bench.longSeconds)))];
  return [row('p99', 0.99), row('p50', 0.5)];

  function row(name: string, q: number) {
    const [replayingMs, restMs] = [quantile(replaying, q), quantile(rest, q)];
    const ratio = replayingMs / restMs;
    return {
      work: `deliveries to others during a replay of ${count(limits.eventsPerReplay)}, ${name} to that without`,
      target: `<= ${times(maxTimes)}`,
      result: `${times(ratio)} (${millis(replayingMs)} to ${millis(restMs)}; ${count(Math.round(perSecond))} replayed a second)`,
      met: ratio <= maxTimes,
      values: { ratio, replayingMs, restMs, perSecond },
    };
  }
};

/** Returns a function that checks whether these seconds have passed since this call. */
function after(seconds: number) {
  const endsAt = performance.now() + seconds * 1_000;
  return async () => performance.now() >= endsAt;
}

async function isOver({ database }: Webhooks['operator'], { site_id, subscription_id }: SubscriptionKey) {
  const { rows } = await sql<{ running: boolean }>`
    select exists (select from webhook_deliveries
      where site_id = ${site_id} and subscription_id = ${subscription_id} and asked_at is not null) as running`.execute(
    database.em.getKysely(),
  );
  return rows[0]?.running === false;
}

/** Creates a site whose only subscription missed this many events. */
async function prepareReplay({ operator, subscribe }: Webhooks): Promise<SubscriptionKey> {
  const site_id = await createSite(operator, { name: 'Replayed', plan: 'pro' });
  await subscribe(site_id, 1);
  const db = operator.database.em.getKysely();
  await sql`
    insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
    select ${site_id}, lpad(n::text, 15, '0'), 'content.created',
      '{"event":"content.created","timestamp":"2026-01-31T09:05:00.123Z","data":{"id":"replayed-' || n || '","collection":"posts","title":"Type-safe APIs","slug":"type-safe-apis"}}',
      now() - interval '1 hour' + n * interval '1 millisecond', false
    from generate_series(1, ${limits.eventsPerReplay}::integer) n`.execute(db);
  const { rows } = await sql<{ id: string }>`
    update webhook_subscriptions set registered_at = now() - interval '1 day' where site_id = ${site_id} returning id`.execute(
    db,
  );
  await sql`vacuum analyze`.execute(db);
  return { site_id, subscription_id: rows[0]?.id ?? '' };
}

/** Returns a function that replays all events, as the owner does over REST. */
async function startReplays(
  { operator, startServer }: Webhooks,
  { site_id, subscription_id }: SubscriptionKey,
) {
  const login = { email: 'owner@example.com', password: 'correct horse battery' };
  await createOwner(operator, site_id, { name: 'Olive Owner', ...login });
  const { url } = await startServer();
  const { token } = z.object({ token: z.string() }).parse(await post(`${url}/api/admin/session`, {}, login));
  const body = { since: new Date(Date.now() - 86_400_000).toISOString(), status: 'all' };
  return async () => {
    const path = `/api/admin/webhooks/${subscription_id}/replay`;
    const answer = await post(url + path, { authorization: `Bearer ${token}` }, body);
    return z.object({ count: z.number() }).parse(answer);
  };
}

/** Returns the times from commit to arrival of a steady stream of events, until `isEnough` returns true. */
async function freshMs(
  webhooks: Webhooks,
  siteId: string,
  isEnough: () => Promise<boolean>,
): Promise<number[]> {
  const committedAtMs = new Map<string, number>();
  await webhooks.arrivals();
  for (let second = 0; second === 0 || !(await isEnough()); second++)
    await steadily(1, eventsPerSecond, async (n) => {
      const id = `fresh-${second}-${n}`;
      await fire(webhooks.operator, siteId, id);
      committedAtMs.set(id, performance.timeOrigin + performance.now());
    });
  const tookMs: number[] = [];
  await eventually(async () => {
    for (const { record, atMs } of await webhooks.arrivals()) {
      const committed = committedAtMs.get(record);
      if (committed !== undefined) tookMs.push(atMs - committed);
    }
    return tookMs.length >= committedAtMs.size;
  }, timeoutMs);
  return tookMs;
}
