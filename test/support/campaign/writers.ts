import { setTimeout as delay } from 'node:timers/promises';
import type { Field } from './field.ts';
import type { Pace } from './pace.ts';
import type { Size } from './size.ts';

const writers = 8;

/** Results of the writers, by the answers they received. */
interface Written {
  /** Titles that were answered with 201. */
  accepted: string[];
  /** Number of writes that had to be rolled back or refused, by status. */
  denied: Map<number | 'none', number>;
}

/** Creates a trigger that rolls back writes whose title begins with `doomed`, at their commit. */
export const doomWrites = ({ query }: Field) =>
  query(`
    create function doom() returns trigger language plpgsql as
      $$ begin if new.title like 'doomed%' then raise 'doomed'; end if; return null; end $$;
    create constraint trigger doom after insert on posts deferrable initially deferred for each row execute function doom()`);

/** Writes events over HTTP until there are enough. Of a hundred writes, five are rolled back and three refused. */
export async function writeEvents(
  { asker, credentials: { key } }: Field,
  size: Size,
  pace: Pace,
  random: () => number,
) {
  const written: Written = { accepted: [], denied: new Map() };
  let begun = 0;
  const deny = async (body: object) => {
    const answer = await asker.once('POST', '/api/v1/posts', { key, body });
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
      const answer = await asker.ask('POST', '/api/v1/posts', { key, body: { title } });
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
