import { setTimeout as delay } from 'node:timers/promises';
import { createSite } from '../../../server/accounts/sites/store.ts';
import { recordEvent } from '../../../shared/content/write.ts';
import { eventually } from '../../support/eventually.ts';
import type { Part } from '../bench.ts';
import { cpuSeconds } from '../processes.ts';
import { cpu, cpuMsEach, millis } from '../report.ts';
import { quantile } from '../statistics.ts';
import { startWebhooks, timeoutMs } from '../webhooks.ts';

const perSecond = 200;
const maxMs = { p50: 15, p99: 100 };

/** Time from the commit of an event to its arrival at the receiver, at a steady rate with one transaction per event. */
export const latency: Part = async (bench) => {
  await using webhooks = await startWebhooks(bench, 'bench_latency');
  const { operator } = webhooks;
  const siteIds: string[] = [];
  for (let n = 0; n < 10; n++) {
    const siteId = await createSite(operator, { name: `Site ${n}`, plan: 'pro' });
    await webhooks.subscribe(siteId, 1);
    siteIds.push(siteId);
  }
  const worker = webhooks.startWorker();
  const committedAtMs = new Map<string, number>();
  const fire = async (n: number) => {
    const [id, siteId] = [`record-${n}`, siteIds[n % siteIds.length] ?? ''];
    const data = { id, collection: 'posts', title: 'Type-safe APIs', slug: 'type-safe-apis' } as const;
    await operator.database.em
      .fork()
      .transactional((em) => recordEvent(em, operator, { siteId, name: 'content.created', data }));
    committedAtMs.set(id, performance.timeOrigin + performance.now());
  };
  for (let n = 0; n < 20; n++) await fire(n);
  const startedAt = performance.now();
  const [workerBefore, databaseBefore] = [await cpuSeconds(worker.pid), await bench.databaseCpuSeconds()];
  const total = 20 + perSecond * Math.min(bench.longSeconds, 30);
  const firing: Promise<void>[] = [];
  for (let n = 20; n < total; n++) {
    const dueAt = startedAt + ((n - 20) * 1_000) / perSecond;
    await delay(Math.max(0, dueAt - performance.now()));
    firing.push(fire(n));
  }
  await Promise.all(firing);
  await eventually(async () => (await webhooks.received()) >= total, timeoutMs);
  const workerCpuMs = cpuMsEach(workerBefore, await cpuSeconds(worker.pid), total - 20);
  const databaseCpuMs = cpuMsEach(databaseBefore, await bench.databaseCpuSeconds(), total - 20);
  const arrivals = await webhooks.arrivals();
  const tookMs = arrivals
    .filter(({ record }) => Number(record.slice('record-'.length)) >= 5 * perSecond)
    .map(({ record, atMs }) => atMs - (committedAtMs.get(record) ?? Number.NaN));
  const [p50, p99] = [quantile(tookMs, 0.5), quantile(tookMs, 0.99)];
  const row = (name: 'p50' | 'p99', is: number) => ({
    work: `commit to receiver at ${perSecond}/s, ${name}`,
    target: `<= ${maxMs[name]} ms`,
    result: `${millis(is)} (CPU each: worker ${cpu(workerCpuMs)}, database ${cpu(databaseCpuMs)})`,
    met: is <= maxMs[name],
    values: { ms: is, deliveries: tookMs.length, workerCpuMs, databaseCpuMs },
  });
  return [row('p50', p50), row('p99', p99)];
};
