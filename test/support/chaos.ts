import { setTimeout as delay } from 'node:timers/promises';
import type { CountingReceiver } from './counting-receiver.ts';
import { leaseMs, type Stage } from './stage.ts';
import type { WorkerProcess } from './worker-process.ts';

/** Fault that strikes the workers of a stage. All faults use the same seeded random source. */
export interface Fault {
  name: string;
  strike(scene: Scene): Promise<void>;
}

interface Scene {
  stage: Stage;
  workers: WorkerProcess[];
  random: () => number;
  /** Notes the deliveries in progress: only these may be sent twice. */
  noteUnderWay(): Promise<void>;
}

/** Kills a worker without warning, and starts another one. */
export const kill: Fault = {
  name: 'kill -9 of a worker',
  async strike({ stage, workers, random, noteUnderWay }) {
    const victim = Math.floor(random() * workers.length);
    await workers[victim]?.kill();
    await noteUnderWay();
    workers[victim] = await stage.startWorker();
  },
};

/** Stops a worker for longer than any lease of the stage. */
export const freeze: Fault = {
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
export const disconnect: Fault = {
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
export async function playChaos(stage: Stage, receivers: readonly CountingReceiver[], plan: Plan) {
  const { faults, strikes, random } = plan;
  const underWay = new Set<string>();
  await stage.doomWrites();
  const workers = [await stage.startWorker(), await stage.startWorker()];
  const scene: Scene = {
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
