import { setTimeout as delay } from 'node:timers/promises';
import { type FaultName, leaseMs, type Size } from './size.ts';
import type { Field, Subscription } from './start-processes.ts';
import type { Pace } from './writers.ts';

/** Attempt that was in progress during a fault, by the database's clock (Unix time in ms). */
export interface Note {
  fault: FaultName;
  id: string;
  attempt: number;
  leaseUntilMs: number;
  atMs: number;
}

/** Notes the attempts in progress when a fault strikes. Only their deliveries may be sent more than once. */
export function createAttemptNotes({ query }: Field) {
  const notes: Note[] = [];
  return {
    notes,
    async take(fault: FaultName) {
      const rows = await query<Omit<Note, 'fault'>>(`
        select id, attempt_count as attempt, (extract(epoch from lease_until) * 1000)::float8 as "leaseUntilMs",
          (extract(epoch from clock_timestamp()) * 1000)::float8 as "atMs"
        from webhook_deliveries where lease_until is not null`);
      notes.push(...rows.map((row) => ({ fault, ...row })));
    },
  };
}

type Notes = ReturnType<typeof createAttemptNotes>;

interface ChaosContext {
  field: Field;
  /** Subscription whose network may stall. */
  troubled: Subscription;
  size: Size;
  random: () => number;
  note(): Promise<void>;
}

/** Faults by name. Each resolves when it is over. */
const faults = {
  async 'kill -9 of a worker'({ field, random, note }) {
    const slot = pick(field.workers, random);
    await slot.process.kill();
    await note();
    await slot.replace();
  },
  async 'kill -9 of a server'({ field, random }) {
    const slot = pick(field.servers, random);
    await slot.process.kill();
    await slot.replace();
  },
  async 'a worker frozen for longer than its lease'({ field, size, random, note }) {
    const { process } = pick(field.workers, random);
    process.freeze();
    await noteFor(leaseMs(size) + 300 + random() * 1_000, note);
    process.thaw();
  },
  async 'PostgreSQL restarted'({ field, note }) {
    await note();
    await field.postgres.restart();
    await note();
  },
  async 'network to the database stalled'({ field, size, random, note }) {
    const { proxy } = pick([...field.workers, ...field.servers], random);
    proxy.stall();
    await noteFor(stallLength(size, random), note);
    proxy.flow();
  },
  async 'network to a receiver stalled'({ troubled, size, random, note }) {
    troubled.network.stall();
    await noteFor(stallLength(size, random), note);
    troubled.network.flow();
  },
} satisfies Record<FaultName, (scene: ChaosContext) => Promise<void>>;

/** Fault with its start and end (Unix time in ms). */
export interface Strike {
  name: FaultName;
  fromMs: number;
  toMs: number;
}

/** Faults that strike concurrently. Those on one line strike one after the other. */
const lines: readonly (readonly FaultName[])[] = [
  ['kill -9 of a worker'],
  ['kill -9 of a server'],
  ['a worker frozen for longer than its lease'],
  ['PostgreSQL restarted', 'network to the database stalled', 'network to a receiver stalled'],
];

interface Strikes extends Omit<ChaosContext, 'note'> {
  notes: Notes;
  pace: Pace;
  tell(progress: string): void;
}

/** Strikes as often as the size requires, in random order, unless the time ends before. Returns the strikes. */
export async function strikeAll({ notes, pace, tell, ...scene }: Strikes) {
  const struck: Strike[] = [];
  const hands = lines.map((names) => {
    const all = names.flatMap((name) => Array<FaultName>(scene.size.strikes[name]).fill(name));
    return { list: shuffle(all, scene.random), hand: pace.hand(all.length) };
  });
  await Promise.all(
    hands.map(async ({ list, hand }) => {
      for (const name of list) {
        if (!(await hand.due())) return;
        const fromMs = Date.now();
        await faults[name]({ ...scene, note: () => notes.take(name) });
        struck.push({ name, fromMs, toMs: Date.now() });
        hand.struck();
        tell(`${name}, after ${pace.written()} events`);
      }
    }),
  );
  return struck;
}

/** Notes attempts repeatedly, because new ones begin during a fault. */
async function noteFor(ms: number, note: () => Promise<void>) {
  const endsAt = performance.now() + ms;
  await note();
  while (performance.now() < endsAt) {
    await delay(Math.min(500, Math.max(0, endsAt - performance.now())));
    await note();
  }
}

const stallLength = ({ stallMs: [from, to] }: Size, random: () => number) => from + random() * (to - from);

function pick<T>(list: readonly T[], random: () => number): T {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new Error('cannot pick from an empty list');
  return one;
}

function shuffle<T>(list: readonly T[], random: () => number): T[] {
  return list
    .map((value) => ({ value, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ value }) => value);
}
