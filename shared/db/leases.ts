import { type RawBuilder, sql } from 'kysely';

/** SQL: whether a lease was given before the database's clock was set back: it ends later than any that is given now. */
export const isStray = (endsAt: RawBuilder<unknown>, leaseMs: number): RawBuilder<boolean> =>
  sql`${endsAt} > now() + ${sql.lit(2 * leaseMs)} * interval '1 millisecond'`;
