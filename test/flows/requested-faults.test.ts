import { expect, test } from 'vitest';
import type { CountingReceiver } from '../support/counting-receiver.ts';
import { type Stage, startStage } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';

// Requested attempts while their workers are killed or frozen.

const claim = /attempt_limit = d\.attempt_limit \+ 1/;
const settle = /set lease_until = null/;
const commit = /commit\0/i;

/** Starts a stage with one subscription and a number of delivered events. */
async function startDelivered(stage: Stage, receiver: CountingReceiver, events: number) {
  const id = await stage.subscribe(receiver.url);
  const worker = await stage.startWorker();
  for (let n = 0; n < events; n++) await stage.write(`event ${n}`);
  await stage.settled();
  await eventually(() => receiver.arrivals.length === events);
  await worker.kill();
  const token = await stage.app.seed.ownerToken();
  const post = (path: string, body?: object) =>
    stage.app.post(`/api/admin/webhooks/${id}${path}`, { key: token, ...(body && { body }) });
  return {
    redeliver: async (deliveryId: string) => (await post(`/deliveries/${deliveryId}/redeliver`)).status,
    replayAll: async () => (await post('/replay', { since: '2001-01-01T00:00:00Z', status: 'all' })).body,
  };
}

/** Returns the log of attempts once no requested attempt is left. */
const answered = (stage: Stage) =>
  eventually(async () => {
    const { em } = stage.app.deps.database;
    const open = await em.execute('select 1 from webhook_deliveries where asked_at is not null limit 1');
    if (open.length > 0) return false;
    return em.execute<{ status: string; attempt_count: number; attempt_limit: number; manual: number }[]>(`
      select d.status, d.attempt_count, d.attempt_limit, (select count(*) from webhook_attempts a
        where a.site_id = d.site_id and a.delivery_id = d.id and a.manual)::int as manual
      from webhook_deliveries d`);
  });

interface Step {
  step: string;
  reach: (stage: Stage) => Promise<unknown>;
  sent: number;
  attempts: number;
}

const steps: Step[] = [
  {
    step: 'after its claim, before it sends the request',
    reach: ({ proxy }) => proxy.holdAnswer(claim, commit),
    sent: 1,
    attempts: 3,
  },
  {
    step: 'after the response, before the outcome is committed',
    reach: ({ proxy }) => proxy.holdRequest(settle, commit),
    sent: 2,
    attempts: 3,
  },
  {
    step: 'after the outcome is committed, before it receives the confirmation',
    reach: ({ proxy }) => proxy.holdAnswer(settle, commit),
    sent: 1,
    attempts: 2,
  },
];

test.concurrent.each(steps)(
  'a worker killed $step: another makes the requested attempt, and it counts once',
  async ({ reach, sent, attempts }) => {
    await using stage = await startStage();
    const receiver = await stage.startReceiver();
    const { redeliver } = await startDelivered(stage, receiver, 1);
    const worker = await stage.startWorker();
    const reached = reach(stage);
    await redeliver(receiver.arrivals[0]?.delivery ?? '');
    await reached;
    await worker.kill();
    await stage.startWorker();
    const delivery = { status: 'delivered', attempt_count: attempts, attempt_limit: 6 + attempts - 1 };
    expect(await answered(stage)).toEqual([{ ...delivery, manual: 1 }]);
    expect(receiver.arrivals).toHaveLength(1 + sent);
  },
);

test.concurrent('a worker frozen beyond its lease does not change the outcome of a requested attempt', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  const { redeliver } = await startDelivered(stage, receiver, 1);
  receiver.answerWith(() => (receiver.arrivals.length === 1 ? null : 200));
  const worker = await stage.startWorker();
  const arrival = receiver.nextArrival();
  await redeliver(receiver.arrivals[0]?.delivery ?? '');
  await arrival;
  worker.freeze();
  await stage.startWorker();
  expect(await answered(stage)).toMatchObject([{ status: 'delivered', attempt_count: 3, manual: 1 }]);
  worker.thaw();
  receiver.letGo();
  expect(await answered(stage)).toMatchObject([{ status: 'delivered', attempt_count: 3, manual: 1 }]);
  expect(receiver.arrivals).toHaveLength(3);
});

test.concurrent('a replay whose workers are killed repeatedly sends every event, and twice only those in flight', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  const events = 60;
  const { replayAll } = await startDelivered(stage, receiver, events);
  expect(await replayAll()).toEqual({ count: events });
  const kills = 3;
  for (let kill = 1; kill <= kills; kill++) {
    const worker = await stage.startWorker();
    await eventually(() => receiver.arrivals.length >= events + kill * 12);
    await worker.kill();
  }
  await stage.startWorker();
  const deliveries = await answered(stage);
  expect(deliveries).toHaveLength(events);
  for (const { status, manual, attempt_count, attempt_limit } of deliveries) {
    expect({ status, manual }).toEqual({ status: 'delivered', manual: 1 });
    expect(attempt_limit - attempt_count).toBe(5);
  }
  const byDelivery = Map.groupBy(receiver.arrivals, ({ delivery }) => delivery);
  expect(byDelivery.size).toBe(events);
  const sent = [...byDelivery.values()].map((arrivals) => arrivals.length);
  expect(Math.min(...sent)).toBe(2);
  expect(receiver.arrivals.length).toBeLessThanOrEqual(2 * events + kills * 10);
});
