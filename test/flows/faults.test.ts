/**
 * Runs real processes under seeded faults. Every test run includes the short form; `pnpm test:faults` runs the long
 * one.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import type { Arrival, CountingReceiver } from '../support/counting-receiver.ts';
import { leaseMs, type Stage, startStage, withPort } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { startOwnDatabase } from '../support/own-database.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { startProxy } from '../support/tcp-proxy.ts';
import type { WorkerProcess } from '../support/worker-process.ts';

/** Fault that strikes the workers of a stage. All faults use the same seeded random source. */
interface Fault {
  name: string;
  strike(scene: ChaosContext): Promise<void>;
}

interface ChaosContext {
  stage: Stage;
  workers: WorkerProcess[];
  random: () => number;
  /** Notes the deliveries in progress: only these may be sent twice. */
  noteUnderWay(): Promise<void>;
}

/** Kills a worker without warning, and starts another one. */
const kill: Fault = {
  name: 'kill -9 of a worker',
  async strike({ stage, workers, random, noteUnderWay }) {
    const victim = Math.floor(random() * workers.length);
    await workers[victim]?.kill();
    await noteUnderWay();
    workers[victim] = await stage.startWorker();
  },
};

/** Stops a worker for longer than any lease of the stage. */
const freeze: Fault = {
  name: 'SIGSTOP of a worker for longer than its lease',
  async strike({ workers, random, noteUnderWay }) {
    const victim = workers[Math.floor(random() * workers.length)];
    victim?.freeze();
    await noteUnderWay();
    await delay(leaseMs + 800 + random() * 1_000);
    victim?.thaw();
  },
};

/** Breaks all connections of the workers to the database for a short time. */
const disconnect: Fault = {
  name: 'the database out of reach',
  async strike({ stage, random, noteUnderWay }) {
    stage.proxy.refuse();
    await noteUnderWay();
    await delay(random() * 2_000);
    await noteUnderWay();
    stage.proxy.accept();
  },
};

interface Plan {
  faults: readonly Fault[];
  /** Number of strikes. */
  strikes: number;
  random: () => number;
}

/**
 * Writes events, some of which are rolled back, to two receivers that sometimes fail, while faults strike two workers.
 * Returns the deliveries after they are settled, and the IDs of those in progress during a fault.
 */
async function playChaos(stage: Stage, receivers: readonly CountingReceiver[], plan: Plan) {
  const { faults, strikes, random } = plan;
  const underWay = new Set<string>();
  await stage.doomWrites();
  const workers = [await stage.startWorker(), await stage.startWorker()];
  const scene: ChaosContext = {
    stage,
    workers,
    random,
    async noteUnderWay() {
      for (const id of await stage.underWay()) underWay.add(id);
    },
  };
  for (const receiver of receivers) receiver.answerWith(() => (random() < 0.05 ? 500 : 200));
  let over = false;
  const writing = writeUntil(stage, random, () => over);
  try {
    for (let struck = 0; struck < strikes; struck++) {
      await delay(200 + random() * 800);
      await faults[Math.floor(random() * faults.length)]?.strike(scene);
    }
  } finally {
    over = true;
    await writing;
  }
  for (const receiver of receivers) receiver.answerWith(() => 200);
  const deliveries = await stage.settled().catch((cause) => {
    const logs = workers.map(({ lines }) => lines.slice(-20).join('\n'));
    throw new Error(`Deliveries did not settle. Last log lines of the workers:\n${logs.join('\n\n')}`, {
      cause,
    });
  });
  return { deliveries, underWay };
}

async function writeUntil(stage: Stage, random: () => number, over: () => boolean) {
  for (let n = 0; !over(); n++) {
    await stage.write(random() < 0.1 ? `doomed ${n}` : `event ${n}`);
    await delay(random() * 30);
  }
}

const long = process.env.FAULTS === 'long';

if (long) vi.setConfig({ testTimeout: 1_800_000 });

const acknowledged = ({ status }: Arrival) => status === 200;

interface Ending {
  deliveries: Awaited<ReturnType<Stage['deliveries']>>;
  /** Deliveries that were in flight at a fault. */
  underWay: ReadonlySet<string>;
}

/** Checks that every committed event reached every receiver, by the receivers' own count, and that nothing else did. */
async function expectNothingLost(
  stage: Stage,
  receivers: readonly CountingReceiver[],
  { deliveries, underWay }: Ending,
) {
  const committed = await stage.committedTitles();
  expect(committed.filter((title) => title.startsWith('doomed'))).toEqual([]);
  for (const { arrivals } of receivers) {
    const reached = new Set(arrivals.filter(acknowledged).map(({ title }) => title));
    expect([...reached].toSorted()).toEqual(committed);
    const strangers = arrivals.filter(({ title }) => !reached.has(title));
    expect(strangers).toEqual([]);
  }
  const byDelivery = Map.groupBy(
    receivers.flatMap(({ arrivals }) => arrivals),
    ({ delivery }) => delivery,
  );
  expect(deliveries).toHaveLength(committed.length * receivers.length);
  for (const { id, status, attempt_count } of deliveries) {
    const arrivals = byDelivery.get(id) ?? [];
    expect(status).toBe('delivered');
    expect(attempt_count).toBeLessThanOrEqual(webhooks.attempts);
    // Attempts that a frozen worker gave back were sent, but do not count.
    if (!underWay.has(id)) expect(arrivals.length).toBeLessThanOrEqual(attempt_count);
    const sentAgain = arrivals.filter(acknowledged).length > 1;
    expect(sentAgain && !underWay.has(id), 'sent twice without a fault').toBe(false);
  }
}

test('workers that are killed, frozen and disconnected deliver every committed event and send no others', async () => {
  const seed = newSeed();
  await using stage = await startStage();
  const receivers = [await stage.startReceiver(), await stage.startReceiver()];
  for (const receiver of receivers) await stage.subscribe(receiver.url);
  const faults = [kill, kill, kill, disconnect, freeze];
  const plan = { faults, strikes: long ? 60 : 4, random: createRandom(seed) };
  try {
    await expectNothingLost(stage, receivers, await playChaos(stage, receivers, plan));
  } catch (error) {
    throw new Error(`with seed ${seed}`, { cause: error });
  }
});

test('a PostgreSQL restart while events are written and delivered loses none of them', async () => {
  const seed = newSeed();
  await using postgres = await startOwnDatabase();
  await using stage = await startStage({ serverUrl: postgres.url });
  const receivers = [await stage.startReceiver(), await stage.startReceiver()];
  for (const receiver of receivers) await stage.subscribe(receiver.url);
  const restart = {
    name: 'a restart of PostgreSQL',
    async strike({ noteUnderWay }: { noteUnderWay(): Promise<void> }) {
      await postgres.restart();
      await eventually(() =>
        noteUnderWay().then(
          () => true,
          () => false,
        ),
      );
    },
  };
  const plan = { faults: [restart], strikes: long ? 15 : 2, random: createRandom(seed) };
  try {
    await expectNothingLost(stage, receivers, await playChaos(stage, receivers, plan));
  } catch (error) {
    throw new Error(`with seed ${seed}`, { cause: error });
  }
});

test('a receiver that is down gets its events once it works again', async () => {
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  await using door = await startProxy(receiver);
  const id = await stage.subscribe(withPort(receiver.url, door.port));
  // A long delay: ten failures would deactivate the subscription before the receiver is reachable again.
  await stage.startWorker({ WEBHOOK_RETRY_SECONDS: '3600' });
  door.refuse();
  for (const title of ['one', 'two', 'three']) await stage.write(title);
  await eventually(async () => {
    const deliveries = await stage.deliveries();
    return deliveries.length === 3 && deliveries.every(({ status }) => status === 'retrying');
  });
  door.accept();
  await stage.app.deps.database.em.execute('update webhook_deliveries set due_at = now()');
  const deliveries = await stage.settled();
  await expectNothingLost(stage, [receiver], { deliveries, underWay: new Set() });
  expect(await stage.subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 });
});

test('a worker frozen repeatedly beyond the timeout never deactivates a working subscription', async () => {
  const random = createRandom(newSeed());
  await using stage = await startStage();
  const receiver = await stage.startReceiver();
  const id = await stage.subscribe(receiver.url);
  const worker = await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '2000' });
  for (let freeze = 0; freeze < (long ? 50 : 2); freeze++) {
    const already = receiver.arrivals.length;
    receiver.answerWith(() => (receiver.arrivals.length < already + 10 ? null : 200));
    for (let n = 0; n < 10; n++) await stage.write(`event ${freeze} ${n}`);
    // On a slow machine, the first attempts are repeated before the last one arrives.
    await eventually(() => receiver.arrivals.length >= already + 10);
    const [letGo, hangUp] = [() => receiver.letGo(), () => receiver.hangUp()];
    await worker.freezeFor(4_000 + random() * 2_500, random() < 0.5 ? letGo : hangUp);
    receiver.answerWith(() => 200);
    receiver.letGo();
    const deliveries = await stage.settled();
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['delivered']));
    expect(await stage.subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 });
  }
});

test('a receiver that leaves some attempts of a burst hanging is not deactivated', async () => {
  for (let run = 0; run < (long ? 20 : 1); run++) {
    const [events, hangs] = long ? [2_000, 10 + (run % 11)] : [300, 15];
    await using stage = await startStage();
    const receiver = await stage.startReceiver();
    const hung = new Set<string>();
    receiver.answerWith(({ title }) => {
      const hangsNow = Number(title) % Math.floor(events / hangs) === 0 && !hung.has(title);
      if (hangsNow) hung.add(title);
      return hangsNow ? null : 200;
    });
    const id = await stage.subscribe(receiver.url);
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      for (let n = writer; n < events; n += 10) await stage.write(`${n}`);
    });
    await Promise.all(writers);
    await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '2000' });
    const deliveries = await stage.settled();
    expect(hung.size).toBeGreaterThanOrEqual(hangs);
    expect(deliveries).toHaveLength(events);
    expect(new Set(deliveries.map(({ status }) => status))).toEqual(new Set(['delivered']));
    expect(await stage.subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 });
  }
});

test.runIf(long)(
  'with default settings, the attempt of a killed worker is repeated by another within 15 seconds',
  async () => {
    await using stage = await startStage();
    const receiver = await stage.startReceiver();
    receiver.answerWith(() => (receiver.arrivals.length === 0 ? null : 200));
    await stage.subscribe(receiver.url);
    const worker = await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '', WEBHOOK_RETRY_SECONDS: '' });
    const arrival = receiver.nextArrival();
    await stage.write('hello');
    await arrival;
    await stage.startWorker({ WEBHOOK_TIMEOUT_MS: '', WEBHOOK_RETRY_SECONDS: '' });
    await worker.kill();
    await stage.settled();
    const [first, second] = receiver.arrivals;
    expect((second?.atMs ?? Number.NaN) - (first?.atMs ?? 0)).toBeLessThan(15_000);
  },
);

test.each([1, 2])(
  'a dead receiver with 50 waiting deliveries gets exactly ten attempts from %i worker processes',
  async (count) => {
    await using stage = await startStage();
    const [dead, alive] = [await stage.startReceiver(), await stage.startReceiver()];
    dead.answerWith(() => 500);
    const id = await stage.subscribe(dead.url);
    await stage.subscribe(alive.url);
    for (let n = 0; n < 50; n++) await stage.write(`event ${n}`);
    const workers = Array.from({ length: count }, () =>
      stage.startWorker({ WEBHOOK_RETRY_SECONDS: '0.05,0.05,0.05,0.05,0.05' }),
    );
    await Promise.all(workers);
    const deliveries = await stage.settled();
    await stage.write('later');
    await eventually(() => alive.arrivals.length === 51);
    expect(dead.arrivals).toHaveLength(10);
    expect(await stage.subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 });
    const own = deliveries.filter(({ subscription_id }) => subscription_id === id);
    expect(own).toHaveLength(50);
    expect(new Set(own.map(({ status }) => status))).toEqual(new Set(['cancelled']));
    expect(own.reduce((attempts, { attempt_count }) => attempts + attempt_count, 0)).toBe(10);
  },
);
