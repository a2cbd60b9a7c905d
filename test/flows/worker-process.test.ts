import { expect, test } from 'vitest';
import { startStage } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { findFreePort } from '../support/process.ts';

test('a stopping worker finishes attempts in flight, claims no more, and exits with 0 in time', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => null);
  await stage.subscribe(receiver.url);
  for (let n = 0; n < 15; n++) await stage.write(`event ${n}`);
  const worker = await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '60000' });
  await eventually(() => receiver.arrivals.length === 10);
  const stopped = worker.stop();
  await eventually(() => worker.lines.some((line) => line.includes('stopping')));
  receiver.letGo();
  expect(await stopped).toBe(0);
  expect(receiver.arrivals).toHaveLength(10);
  const deliveries = await stage.deliveries();
  const counts = Object.groupBy(deliveries, ({ status }) => status);
  expect([counts.delivered?.length, counts.pending?.length]).toEqual([10, 5]);
  expect(await stage.underWay()).toEqual([]);
});

test('a worker that is stopped while a receiver hangs and the database is unreachable exits with 0 within 12 seconds', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => null);
  await stage.subscribe(receiver.url);
  const worker = await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '60000' });
  const arrival = receiver.nextArrival();
  await stage.write('hello');
  await arrival;
  stage.proxy.refuse();
  // The worker's own deadline ends it. Everything that it waits for lasts longer, on any machine.
  expect(await worker.stop()).toBe(0);
  const { msg, after_ms } = JSON.parse(worker.lines.at(-1) ?? '');
  expect(msg).toContain('shutdown timed out');
  expect(after_ms).toBeLessThan(12_000);
});

test('a worker logs one JSON object per line, without secrets', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => 500);
  await stage.subscribe(receiver.url);
  const worker = await stage.startWorker({ LOG_LEVEL: 'trace' });
  await stage.write('hello');
  await eventually(() => receiver.arrivals.length > 1);
  await worker.stop();
  const lines: { msg: string }[] = worker.lines.map((line) => JSON.parse(line));
  expect(lines.map(({ msg }) => msg)).toContain('worker is delivering');
  expect(worker.lines.join('\n')).not.toMatch(/whsec_|sealed|a secret key for tests/i);
});

test('a worker that cannot start reports why, with instructions', async () => {
  await using stage = await startStage();
  await expect(stage.startWorker({ DATABASE_URL: '', WEBHOOK_TIMEOUT_MS: 'soon' })).rejects.toThrow(
    /DATABASE_URL: .*\n.*WEBHOOK_TIMEOUT_MS: /,
  );
  await stage.app.deps.database.em.execute("delete from migrations where name = '0009-events'");
  await expect(stage.startWorker()).rejects.toThrow('pnpm ops migrate');
});

test('metrics of a worker count attempts by outcome and show the queue, one port above METRICS_PORT', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => (receiver.arrivals.length === 0 ? 500 : 200));
  await stage.subscribe(receiver.url);
  const port = await findFreePort();
  await stage.startWorker({ METRICS_PORT: String(port - 1) });
  await stage.write('hello');
  await stage.settled();
  const scrape = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await scrape.text();

  expect(scrape.headers.get('content-type')).toMatch(/^text\/plain/);
  for (const line of [
    'webhook_attempts_total{outcome="retrying"} 1',
    'webhook_attempts_total{outcome="delivered"} 1',
    'webhook_queue_depth 0',
    'webhook_queue_oldest_due_seconds 0',
    'webhook_queue_asked 0',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
});
