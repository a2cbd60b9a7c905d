import { setTimeout as delay } from 'node:timers/promises';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { recordEvent } from '../../../shared/content/write.ts';
import { webhookLimits } from '../../../shared/contract/features/webhooks.ts';
import { eventually } from '../../support/eventually.ts';
import type { Part } from '../bench.ts';
import { count, millis } from '../report.ts';
import { quantile } from '../statistics.ts';
import { type Arrival, startWebhooks, timeoutMs } from '../webhooks.ts';

const subscriptions = 100;

/** One fewer than the failures that disable a subscription, in case all first attempts come before any retry. */
const events = webhookLimits.failuresToDisable - 1;

const retryAfterMs = 2_000;
const maxLateMs = 1_000;

/** Delay of retries after their due time when a hundred are due together. Each receiver refuses every delivery once. */
export const retries: Part = async (bench) => {
  await using webhooks = await startWebhooks(bench, 'bench_retries', '2,2,2,2,2');
  const { operator } = webhooks;
  const siteId = await createSite(operator, { name: 'A site', plan: 'pro' });
  await webhooks.subscribe(siteId, subscriptions, 'fail-first');
  webhooks.startWorker();
  for (let n = 0; n < events; n++) {
    const data = { id: `record-${n}`, collection: 'posts', title: 'A post', slug: 'a-post' } as const;
    await operator.database.em
      .fork()
      .transactional((em) => recordEvent(em, operator, { siteId, name: 'content.created', data }));
    await delay(500);
  }
  await eventually(async () => (await webhooks.received()) >= events * subscriptions * 2, timeoutMs);
  const lateMs = [...Map.groupBy(await webhooks.arrivals(), ({ delivery }) => delivery).values()].map(
    lateness,
  );
  const [p50, p99, min] = [quantile(lateMs, 0.5), quantile(lateMs, 0.99), Math.min(...lateMs)];
  return [
    {
      work: `retry after its delay, p99 of ${count(lateMs.length)}`,
      target: `<= ${maxLateMs} ms`,
      result: `${millis(p99)} (p50 ${millis(p50)})`,
      met: p99 <= maxLateMs,
      values: { p50Ms: p50, p99Ms: p99 },
    },
    {
      work: 'retry after its delay, earliest',
      target: '>= 0 ms',
      result: millis(min),
      met: min >= 0,
      values: { minMs: min },
    },
  ];
};

/**
 * Returns the milliseconds from the due time of the second attempt, counted from the arrival of the first, to its
 * arrival.
 */
function lateness([first, second]: Arrival[]): number {
  return first && second ? second.atMs - first.atMs - retryAfterMs : Number.NaN;
}
