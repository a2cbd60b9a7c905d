import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import { type ReportMembership, reportLimits } from '../../shared/contract/audience/membership.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { Timestamp } from '../../shared/contract/timestamps.ts';
import { changesOf } from '../../shared/db/changes-of.ts';
import { Membership } from '../../shared/db/entities/audience.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inOneStatement, inTransaction, lockRow } from '../api/transaction.ts';

/**
 * Stores the state of a membership that a provider reports, and returns it with `isNew`. A report that is not newer than the stored one
 * changes nothing, and none changes an address. Throws `validation_failed` for times too far ahead.
 */
export async function reportMembership(
  deps: StoreDeps,
  siteId: string,
  { state, open_until, as_of, ...report }: z.output<typeof ReportMembership>,
) {
  const now = new Timestamp(deps.clock.now());
  requireAtMost('as_of', as_of, now, reportLimits.minutesAhead * 60_000);
  requireAtMost('open_until', open_until, now, reportLimits.daysOpen * 86_400_000);
  const newest = {
    tiers: report.tiers,
    state,
    open_until: state === 'ended' && open_until > now ? now : open_until,
    as_of,
    updated: now,
  };
  const row = {
    ...report,
    ...newest,
    site_id: siteId,
    id: newRecordId(now, deps.randomBytes),
    blocked: false,
    trial_used: false,
    livemode: true,
    created: now,
  };
  return inOneStatement(deps, siteId, async (em) => {
    const insert = em
      .getKysely()
      .insertInto('memberships')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['site_id', 'provider', 'external_id'])
          .doUpdateSet({ ...newest, updated: laterThanBefore(now) })
          .where('memberships.as_of', '<', as_of),
      )
      .returning(['id', 'created']);
    const stored = await insert.executeTakeFirst();
    if (stored) return { ...stored, isNew: stored.id === row.id };
    const { provider, external_id } = report;
    const known = found(await em.findOne(Membership, { site_id: siteId, provider, external_id }));
    return { id: known.id, created: known.created, isNew: false };
  });
}

/**
 * SQL: value of `updated` for a write without a lock. It rises with every change, as that of `changesOf` does.
 */
const laterThanBefore = (now: Date): RawBuilder<Date> =>
  sql`greatest(${now}::timestamptz, memberships.updated + interval '1 millisecond')`;

function requireAtMost(field: string, time: Date, now: Date, maxMs: number) {
  if (time.getTime() - now.getTime() <= maxMs) return;
  const [count, unit] = maxMs < 86_400_000 ? [maxMs / 60_000, 'minutes'] : [maxMs / 86_400_000, 'days'];
  throw new ApiError('validation_failed', `${field}: must be at most ${count} ${unit} ahead`);
}

/** Corrects the address of a membership. Throws `not_found`. */
export async function correctMembership(
  deps: StoreDeps,
  siteId: string,
  { id, email }: { id: string; email: string },
) {
  await inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, Membership, { site_id: siteId, id });
    em.assign(row, changesOf(row, { email }, deps.clock.now()));
  });
}
