import { sql } from 'kysely';
import type { Clock } from '../contract/timestamps.ts';
import type { Database } from './config.ts';

/** Maximum difference between the clocks of two machines, in milliseconds. */
export const maxClockDifferenceMs = 5 * 60_000;

/** Interval between readings of the database's clock, in milliseconds. */
const everyMs = 60_000;

/**
 * Opens a clock that normally reads this machine's clock (`own`). While that differs from the database's clock by more than
 * `maxClockDifferenceMs`, it returns the database's time. All processes share that time, and rows expire by timestamps that
 * other processes wrote. Throws if its first reading of the database's clock fails.
 *
 * It reads the database's clock now and once a minute. `noteApart` is called when the difference begins.
 */
export async function openDatabaseClock({
  database,
  own,
  noteApart,
}: {
  database: Pick<Database, 'em'>;
  own: Clock;
  noteApart(times: { own: Date; theirs: Date }): void;
}): Promise<Clock & Disposable> {
  const look = async () => {
    const began = own.sinceStart();
    const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(
      database.em.fork().getKysely(),
    );
    const sinceStart = (began + own.sinceStart()) / 2;
    return { ms: (rows[0]?.at ?? own.now()).getTime(), sinceStart };
  };
  let seen = await look();
  const theirs = () => new Date(seen.ms + own.sinceStart() - seen.sinceStart);
  const isApart = () => Math.abs(own.now().getTime() - theirs().getTime()) > maxClockDifferenceMs;
  let wasApart = false;
  const note = () => {
    if (isApart() && !wasApart) noteApart({ own: own.now(), theirs: theirs() });
    wasApart = isApart();
  };
  note();
  const lookAgain = () =>
    void look()
      .then((found) => {
        seen = found;
        note();
      })
      // If a reading fails, the last one stays in use: `sinceStart` advances it, and no one can set that clock.
      .catch(() => undefined);
  const timer = setInterval(lookAgain, everyMs).unref();
  return {
    now: () => (isApart() ? theirs() : own.now()),
    sinceStart: () => own.sinceStart(),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
