import { setTimeout as delay } from 'node:timers/promises';
import type { Size } from './size.ts';
import type { Field } from './start-processes.ts';

/**
 * Spreads strikes evenly over events, however fast the machine is. Strikes wait for written events, and writers wait
 * for strikes.
 */
export function createFaultSchedule({ events, minutes }: Size) {
  const endsAt = performance.now() + minutes * 60_000;
  const hands: { strikes: number; struck: number }[] = [];
  let written = 0;
  let failed = false;
  const allowed = () =>
    Math.min(...hands.map(({ strikes, struck }) => (struck >= strikes ? 1 : (struck + 1) / strikes))) *
    events;
  const isEnded = () => failed || performance.now() >= endsAt;
  /** Waits for a condition. False if the campaign has ended and nothing more may begin. */
  const until = async (condition: () => boolean) => {
    while (!condition() && !isEnded()) await delay(10);
    return !isEnded();
  };
  return {
    written: () => written,
    isOver: () => isEnded() || (written >= events && hands.every(({ strikes, struck }) => struck >= strikes)),
    /** Ends the campaign, because one of its parts failed. */
    fail() {
      failed = true;
    },
    /** Registers a part that strikes this many times in sequence. */
    hand(strikes: number) {
      const own = { strikes, struck: 0 };
      hands.push(own);
      return {
        due: () => until(() => written >= ((own.struck + 0.5) / strikes) * events),
        struck() {
          own.struck += 1;
        },
      };
    },
    mayWrite: () => until(() => written < allowed()),
    wrote() {
      written += 1;
    },
  };
}

export type Pace = ReturnType<typeof createFaultSchedule>;

const writers = 8;

/** Results of the writers, by the answers they received. */
interface Written {
  /** Titles that were answered with 201. */
  accepted: string[];
  /** Number of writes that had to be rolled back or refused, by status. */
  denied: Map<number | 'none', number>;
}

/** Creates a trigger that rolls back writes whose title begins with `doomed`, at their commit. */
export const failDoomedWrites = ({ query }: Field) =>
  query(`
    create function doom() returns trigger language plpgsql as
      $$ begin if new.title like 'doomed%' then raise 'doomed'; end if; return null; end $$;
    create constraint trigger doom after insert on posts deferrable initially deferred for each row execute function doom()`);

/** Writes events over HTTP until there are enough. Of a hundred writes, five are rolled back and three refused. */
export async function writeEvents(
  { client, credentials: { key } }: Field,
  size: Size,
  pace: Pace,
  random: () => number,
) {
  const written: Written = { accepted: [], denied: new Map() };
  let begun = 0;
  const deny = async (body: object) => {
    const answer = await client.once('POST', '/api/v1/posts', { key, body });
    const status = answer?.status ?? 'none';
    written.denied.set(status, (written.denied.get(status) ?? 0) + 1);
  };
  const writer = async () => {
    while (begun < size.events) {
      begun += 1;
      const n = begun;
      if (!(await pace.mayWrite())) return;
      const chance = random();
      if (chance < 0.05) await deny({ title: `doomed ${n}` });
      else if (chance < 0.08) await deny({ title: `refused ${n}`, visibility: 'nobody knows' });
      const title = `event ${n}`;
      const answer = await client.ask('POST', '/api/v1/posts', { key, body: { title } });
      if (answer.status !== 201)
        throw new Error(`creating the post "${title}" failed: ${JSON.stringify(answer)}`);
      written.accepted.push(title);
      pace.wrote();
      await delay(random() * size.pauseMs);
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
  return written;
}
