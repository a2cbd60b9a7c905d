import { sql } from 'kysely';
import { following as limits } from '../../shared/contract/limits.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { isStray } from '../../shared/db/lock.ts';
import { ApiError, databaseBusy } from '../api/api-error.ts';
import type { Infrastructure } from '../api/deps.ts';

/** One who follows a site's events. */
interface Follower {
  siteId: string;
  /** What `check` looks at: it is called once for all who have the same. */
  credentials: string;
  /** Rejects with an `ApiError` when the follower may no longer follow. */
  check(): Promise<void>;
  end(reason: unknown): void;
}

/** The places that each site has for followers, over all processes. */
export interface FollowerPositions {
  /** Takes one and keeps it until what is returned gives it back. Throws `too_many_followers`. */
  take(follower: Follower): Promise<() => void>;
  /** How many this process has taken. */
  taken(): number;
}

type PlaceDeps = Pick<Infrastructure, 'database' | 'following'>;

/** A place that is taken: a row of `event_followers`. */
interface Taken {
  siteId: string;
  place: number;
  holder: string;
}

/**
 * Counts followers exactly, over all processes: each has a numbered place of its site, and no number is given twice. A
 * process renews its places; those of one that died or stood still can be taken by others after a while.
 */
export function createFollowerPositions(
  deps: PlaceDeps & Pick<Infrastructure, 'clock' | 'randomBytes' | 'logger'>,
): FollowerPositions {
  const held = new Map<Taken, Follower>();
  let upkeep: NodeJS.Timeout | undefined;

  const look = async () => {
    const asked = [...held];
    const renewed = await renew(
      deps,
      asked.map(([taken]) => taken),
    );
    for (const [taken, follower] of asked) {
      const isRenewed = renewed.has(taken.holder);
      if (held.has(taken)) {
        if (!isRenewed)
          follower.end(new DOMException('the position of this follower was lost', 'AbortError'));
      } else if (isRenewed) {
        // Who left meanwhile was put back.
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
        // If this fails, the place is free as soon as it has expired.
        giveBack(deps, taken).catch(() => {});
      };
    },
  };
}

/** Ends followers who may no longer follow. A check that fails for another reason is made again with the next look. */
async function lookAt(followers: readonly Follower[]) {
  await followers[0]?.check().catch((refusal: unknown) => {
    if (refusal instanceof ApiError && refusal.status < 500)
      for (const follower of followers) follower.end(refusal);
  });
}

async function claim(deps: PlaceDeps, siteId: string, holder: string): Promise<Taken> {
  for (let tried = 0; tried < limits.perSite; tried++) {
    const { place, free } = await tryPlace(deps, siteId, holder);
    if (place !== null) return { siteId, place, holder };
    if (free === 0) throw new ApiError('too_many_followers');
    // Another took the same place at the same moment, but there are more.
  }
  throw databaseBusy();
}

/** Any of the free places, by chance, so that those who come together seldom want the same. */
async function tryPlace({ database, following }: PlaceDeps, siteId: string, holder: string) {
  const { rows } = await sql<{ place: number | null; free: number }>`
    with free as (
      select n from generate_series(1, ${limits.perSite}) as n
      where not exists (
        select from event_followers where site_id = ${siteId} and place = n and expires_at > now()
          and not ${isStray(sql`expires_at`, following.leaseMs)}
      )
    ), taken as (
      insert into event_followers (site_id, place, holder, expires_at)
      select ${siteId}, n, ${holder}, now() + ${following.leaseMs} * interval '1 millisecond'
      from free order by random() limit 1
      on conflict (site_id, place) do update set holder = excluded.holder, expires_at = excluded.expires_at
        where event_followers.expires_at <= now() or ${isStray(sql`event_followers.expires_at`, following.leaseMs)}
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
 * The holders that still have their places. Those of rows that are gone have them, too, unless another took them: the table
 * is empty after a crash of PostgreSQL, and on a standby that takes over.
 */
async function renew({ database, following }: PlaceDeps, taken: readonly Taken[]) {
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

const giveBack = ({ database }: PlaceDeps, { siteId, place, holder }: Taken) =>
  database.em
    .getKysely()
    .deleteFrom('event_followers')
    .where('site_id', '=', siteId)
    .where('place', '=', place)
    .where('holder', '=', holder)
    .execute();
