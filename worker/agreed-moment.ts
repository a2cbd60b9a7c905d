import { sql } from 'kysely';
import type { Clock } from '../shared/contract/moments.ts';
import { mostApartMs } from '../shared/db/agreed-clock.ts';
import type { Database } from '../shared/db/config.ts';

/**
 * The moment by which it is told what is past its time: the earlier one of this machine's clock and the database's, since
 * what is removed too early is lost for good. Throws when they are so far apart that one of them must be wrong.
 */
export async function agreedMoment({ em }: Pick<Database, 'em'>, clock: Clock): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select clock_timestamp() as at`.execute(em.fork().getKysely());
  const own = clock.now();
  const theirs = rows[0]?.at ?? own;
  const apartMs = Math.abs(own.getTime() - theirs.getTime());
  if (apartMs > mostApartMs)
    throw new Error(
      `expired rows are not deleted: clock skew (this machine ${own.toISOString()}, database ${theirs.toISOString()})`,
    );
  return new Date(Math.min(own.getTime(), theirs.getTime()));
}
