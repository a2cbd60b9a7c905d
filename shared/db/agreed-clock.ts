import { sql } from 'kysely';
import type { Clock } from '../contract/moments.ts';
import type { Database } from './config.ts';

/** How far the clocks of two machines may be apart. */
export const mostApartMs = 5 * 60_000;

/** How often it is looked anew what the database's clock says. */
const everyMs = 60_000;

/**
 * Opens the clock of this machine (`own`). While it differs by more than five minutes from the database's clock, it returns the
 * database's time, which all processes share, because rows expire by timestamps that other processes wrote. Calls
 * `noteApart` when the difference begins.
 */
export async function openAgreedClock({
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
  const isApart = () => Math.abs(own.now().getTime() - theirs().getTime()) > mostApartMs;
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
      // What was seen last goes on to hold, by a clock that nobody sets.
      .catch(() => undefined);
  const timer = setInterval(lookAgain, everyMs).unref();
  return {
    now: () => (isApart() ? theirs() : own.now()),
    sinceStart: () => own.sinceStart(),
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
