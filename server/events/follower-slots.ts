import { sql } from 'kysely';
import { following as limits } from '../../shared/contract/limits.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { isInvalidLease } from '../../shared/db/advisory-lock.ts';
import { ApiError, databaseBusy } from '../api/api-error.ts';
import type { Infrastructure } from '../api/deps.ts';

/** Client that follows a site's events. */
interface Follower {
  siteId: string;
  /** Credentials that `check` verifies. It is called once for all followers with the same credentials. */
  credentials: string;
  /** Rejects with an `ApiError` if the follower no longer has access. */
  check(): Promise<void>;
  end(reason: unknown): void;
}

/** Limited number of slots for followers per site, over all processes. */
export interface FollowerSlots {
  /**
   * Takes a slot and returns the function that frees it. Throws `too_many_followers` if none is free, and
   * `database_busy` if others took every free slot first.
   */
  take(follower: Follower): Promise<() => void>;
  /** Returns the number of followers that this process serves, over all sites. Each occupies one slot. */
  taken(): number;
}

type SlotDeps = Pick<Infrastructure, 'database' | 'following'>;

/** Taken slot: a row of `event_followers`. */
interface TakenFollower {
  siteId: string;
  place: number;
  holder: string;
}

/**
 * Creates the slots of followers, which count them exactly over all processes. Each follower has a numbered slot of its
 * site, and no two followers of a site have the same number at a time.
 *
 * A slot is free, or taken by a follower until its lease expires. Every `checkMs`, a process renews the leases of its
 * followers and checks their credentials. A follower whose slot was taken by another process, or whose credentials were
 * revoked, is ended. Slots of a process that died or stalled become free when their leases expire.
 */
export function createFollowerSlots(
  deps: SlotDeps & Pick<Infrastructure, 'clock' | 'randomBytes' | 'logger'>,
): FollowerSlots {
  const held = new Map<TakenFollower, Follower>();
  let upkeep: NodeJS.Timeout | undefined;

  const look = async () => {
    const followed = [...held];
    const renewed = await renew(
      deps,
      followed.map(([taken]) => taken),
    );
    for (const [taken, follower] of followed) {
      const isRenewed = renewed.has(taken.holder);
      if (held.has(taken)) {
        if (!isRenewed)
          follower.end(new DOMException('the position of this follower was lost', 'AbortError'));
      } else if (isRenewed) {
        // The follower left during the renewal, which restored its row.
        await giveBack(deps, taken);
      }
    }
    const alike = Map.groupBy(held.values(), ({ credentials }) => credentials);
    for (const followers of alike.values()) await lookAt(followers);
  };
  const lookAgain = () => {
    upkeep = setTimeout(async () => {
      await look().catch((err: unknown) =>
        deps.logger.warn({ err }, 'checking the credentials of live followers failed; retrying'),
      );
      if (held.size > 0) lookAgain();
      else upkeep = undefined;
    }, deps.following.checkMs).unref();
  };

  return {
    taken: () => held.size,
    async take(follower) {
      const taken = await claim(deps, follower.siteId, newRecordId(deps.clock.now(), deps.randomBytes));
      held.set(taken, follower);
      if (!upkeep) lookAgain();
      return () => {
        if (!held.delete(taken)) return;
        // If this fails, the slot becomes free when its lease expires.
        giveBack(deps, taken).catch(() => {});
      };
    },
  };
}

/** Ends followers without access. A check that fails for another reason is repeated at the next interval. */
async function lookAt(followers: readonly Follower[]) {
  await followers[0]?.check().catch((refusal: unknown) => {
    if (refusal instanceof ApiError && refusal.status < 500)
      for (const follower of followers) follower.end(refusal);
  });
}

async function claim(deps: SlotDeps, siteId: string, holder: string): Promise<TakenFollower> {
  for (let tried = 0; tried < limits.perSite; tried++) {
    const { place, free } = await trySlot(deps, siteId, holder);
    if (place !== null) return { siteId, place, holder };
    if (free === 0) throw new ApiError('too_many_followers');
    // Another follower took the same slot concurrently, but other slots may be free.
  }
  throw databaseBusy();
}

/**
 * Takes a random free slot, so that concurrent followers rarely choose the same one. `place` is null if none was free,
 * or if another follower took it first. `free` is the number of slots that were free.
 */
async function trySlot({ database, following }: SlotDeps, siteId: string, holder: string) {
  const { rows } = await sql<{ place: number | null; free: number }>`
    with free as (
      select n from generate_series(1, ${limits.perSite}) as n
      where not exists (
        select from event_followers where site_id = ${siteId} and place = n and expires_at > now()
          and not ${isInvalidLease(sql`expires_at`, following.leaseMs)}
      )
    ), taken as (
      insert into event_followers (site_id, place, holder, expires_at)
      select ${siteId}, n, ${holder}, now() + ${following.leaseMs} * interval '1 millisecond'
      from free order by random() limit 1
      on conflict (site_id, place) do update set holder = excluded.holder, expires_at = excluded.expires_at
        where event_followers.expires_at <= now() or ${isInvalidLease(sql`event_followers.expires_at`, following.leaseMs)}
      returning place
    )
    select (select place from taken) as place, (select count(*) from free) as free`.execute(
    database.em.getKysely(),
  );
  const [answer] = rows;
  if (!answer) throw new Error('PostgreSQL returned no row');
  return answer;
}

/**
 * Renews the leases of slots, and returns the holders that still have them. A deleted row is restored unless another
 * holder took the slot. The table is empty after a crash of PostgreSQL, and on a standby that takes over.
 */
async function renew({ database, following }: SlotDeps, taken: readonly TakenFollower[]) {
  const { rows } = await sql<{ holder: string }>`
    insert into event_followers as f (site_id, place, holder, expires_at)
    select site_id, place, holder, now() + ${following.leaseMs} * interval '1 millisecond'
    from unnest(
      ${taken.map(({ siteId }) => siteId)}::text[], ${taken.map(({ place }) => place)}::integer[],
      ${taken.map(({ holder }) => holder)}::text[]
    ) as mine (site_id, place, holder)
    order by site_id, place
    on conflict (site_id, place) do update set expires_at = excluded.expires_at where f.holder = excluded.holder
    returning holder`.execute(database.em.getKysely());
  return new Set(rows.map(({ holder }) => holder));
}

const giveBack = ({ database }: SlotDeps, { siteId, place, holder }: TakenFollower) =>
  database.em
    .getKysely()
    .deleteFrom('event_followers')
    .where('site_id', '=', siteId)
    .where('place', '=', place)
    .where('holder', '=', holder)
    .execute();
