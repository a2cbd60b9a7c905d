import { expect, test } from 'vitest';
import type { CountingReceiver } from '../support/counting-receiver.ts';
import { type Stage, startStage } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';

// The tests wait for processes and leases, which takes longer on a busy machine.
/** Statements by which a test recognizes a worker's current step. */
const lock = /for no key update/;
const claim = /set attempt_count = d\.attempt_count/;
const settle = /set lease_until = null/;
const commit = /commit\0/i;

/** Returns the responses of the receiver, and the deliveries in the log. */
async function outcome(stage: Stage, arrivals: readonly { status: number | null }[]) {
  const deliveries = await stage.settled();
  return {
    answered: arrivals.map(({ status }) => status),
    log: deliveries.map(({ status, attempt_count }) => ({ status, attempt_count })),
  };
}

const delivered = (attempt_count: number) => [{ status: 'delivered', attempt_count }];

interface Step {
  step: string;
  reach: (stage: Stage) => Promise<unknown>;
  answered: (number | null)[];
  attempts: number;
}

const steps: Step[] = [
  {
    step: 'before its claim',
    reach: ({ proxy }) => proxy.holdRequest(lock),
    answered: [200],
    attempts: 1,
  },
  {
    step: 'before its claim is committed',
    reach: ({ proxy }) => proxy.holdRequest(claim, commit),
    answered: [200],
    attempts: 1,
  },
  {
    step: 'after its claim, before it sends the request',
    reach: ({ proxy }) => proxy.holdAnswer(claim, commit),
    answered: [200],
    attempts: 2,
  },
  {
    step: 'after the response, before the outcome is committed',
    reach: ({ proxy }) => proxy.holdRequest(settle, commit),
    answered: [200, 200],
    attempts: 2,
  },
  {
    step: 'after the outcome is committed, before it receives the confirmation',
    reach: ({ proxy }) => proxy.holdAnswer(settle, commit),
    answered: [200],
    attempts: 1,
  },
];

test.concurrent.each(steps)(
  'a worker killed $step: another delivers the event',
  async ({ reach, answered, attempts }) => {
    await using stage = await startStage();
    const receiver = await stage.startReceiver();
    await stage.subscribe(receiver.url);
    const worker = await stage.startWorker();
    const reached = reach(stage);
    await stage.write('hello');
    await reached;
    await worker.kill();
    await stage.startWorker();
    expect(await outcome(stage, receiver.arrivals)).toEqual({ answered, log: delivered(attempts) });
  },
);

test.concurrent('a worker killed while the receiver is processing: another delivers the event', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => (receiver.arrivals.length === 0 ? null : 200));
  await stage.subscribe(receiver.url);
  const worker = await stage.startWorker();
  const arrival = receiver.nextArrival();
  await stage.write('hello');
  await arrival;
  await worker.kill();
  await stage.startWorker();
  expect(await outcome(stage, receiver.arrivals)).toEqual({ answered: [null, 200], log: delivered(2) });
});

test.concurrent('a connection lost while an outcome is committed: it counts once, and nothing is sent again', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => (receiver.arrivals.length === 0 ? 500 : null));
  const id = await stage.subscribe(receiver.url);
  // The second attempt hangs while the test checks the outcome of the first.
  await stage.startWorker({ WEBHOOK_RETRY_SECONDS: '4', WEBHOOK_TIMEOUT_MS: '60000' });
  const reached = stage.proxy.holdAnswer(settle, commit);
  await stage.write('hello');
  (await reached).cut();
  await receiver.nextArrival();
  expect(await stage.subscription(id)).toMatchObject({ consecutive_failures: 1 });
  receiver.letGo();
  expect(await outcome(stage, receiver.arrivals)).toEqual({ answered: [500, 200], log: delivered(2) });
  expect(await stage.subscription(id)).toMatchObject({ consecutive_failures: 0, active: true });
});

test.concurrent('a connection lost while a claim is committed: the same worker claims again when the lease ends', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  await stage.subscribe(receiver.url);
  await stage.startWorker();
  const reached = stage.proxy.holdAnswer(claim, commit);
  await stage.write('hello');
  (await reached).cut();
  expect(await outcome(stage, receiver.arrivals)).toEqual({ answered: [200], log: delivered(2) });
});

test.concurrent('a worker frozen beyond its lease changes nothing after it resumes', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  receiver.answerWith(() => (receiver.arrivals.length === 0 ? null : 200));
  const id = await stage.subscribe(receiver.url);
  const frozen = await stage.startWorker();
  const arrival = receiver.nextArrival();
  await stage.write('hello');
  await arrival;
  frozen.freeze();
  const other = await stage.startWorker();
  expect(await outcome(stage, receiver.arrivals)).toEqual({ answered: [null, 200], log: delivered(2) });
  await other.kill();
  frozen.thaw();
  await stage.write('goodbye');
  expect(await outcome(stage, receiver.arrivals)).toEqual({
    answered: [null, 200, 200],
    log: expect.arrayContaining([...delivered(2), ...delivered(1)]),
  });
  expect(await stage.subscription(id)).toMatchObject({ consecutive_failures: 0, active: true });
});

const frozenAnswers: Record<string, { answer: (receiver: CountingReceiver) => void; arrivals: number }> = {
  'its receiver answers': { answer: (receiver) => receiver.letGo(), arrivals: 10 },
  'its receiver hangs up': { answer: (receiver) => receiver.hangUp(), arrivals: 20 },
};

test.concurrent.each(Object.entries(frozenAnswers))(
  'a worker frozen beyond the timeout while %s: nothing fails, and unfinished attempts do not count',
  async (_, { answer, arrivals }) => {
    await using stage = await startStage();
    const receiver = await stage.startReceiver();
    receiver.answerWith(() => (receiver.arrivals.length < 10 ? null : 200));
    const id = await stage.subscribe(receiver.url);
    for (let n = 0; n < 10; n++) await stage.write(`event ${n}`);
    const worker = await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '8000' });
    await eventually(() => receiver.arrivals.length === 10);
    await worker.freezeFor(12_500, () => answer(receiver));
    const { log } = await outcome(stage, receiver.arrivals);
    expect(log).toEqual(Array(10).fill(delivered(1)[0]));
    expect(receiver.arrivals).toHaveLength(arrivals);
    expect(await stage.subscription(id)).toMatchObject({ consecutive_failures: 0, active: true });
  },
);

test.concurrent('a worker frozen in the middle of a transaction does not keep its locks', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  await stage.subscribe(receiver.url);
  const frozen = await stage.startWorker();
  const reached = stage.proxy.holdAnswer(claim);
  await stage.write('hello');
  await reached;
  frozen.freeze();
  await stage.startWorker();
  expect(await outcome(stage, receiver.arrivals)).toEqual({ answered: [200], log: delivered(1) });
});
