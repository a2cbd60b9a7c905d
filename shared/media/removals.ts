import { type RawBuilder, sql } from 'kysely';
import { media as limits } from '../contract/limits.ts';
import type { Database } from '../db/config.ts';
import { keysOf, type MediaId, type MediaStore } from './store.ts';

/** What is put into the store gets its row within a day, or goes again. */
const namedWithinMs = 24 * 3_600_000;

/** Whoever removes bytes has so long before another does; the store is given up sooner. */
const leaseMs = 600_000;

/** Pause after a removal that failed. */
const failedMs = 10_000;

interface RemovalDeps {
  database: Database;
  media: MediaStore;
}

/** The column has milliseconds: rounded up, a moment would not have come yet for whoever removes at once. */
export const dueAtOnce = sql`date_trunc('milliseconds', now())`;

const after = (ms: number) => sql`now() + ${ms} * interval '1 millisecond'`;

/**
 * Notes what is about to be put into the store, before that is begun: what never gets its row is found by this alone.
 * False while what was there under the same id is being removed.
 */
export async function noteUnnamed({ em }: Pick<Database, 'em'>, { site_id, id }: MediaId): Promise<boolean> {
  const { rows } = await sql`
    insert into media_removals (site_id, id, due_at, begun) values (${site_id}, ${id}, ${after(namedWithinMs)}, false)
    on conflict (site_id, id) do update set due_at = excluded.due_at where not media_removals.begun returning id`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}

/** Gives up what got no row: from now on none may come. Tells whose bytes are left to remove. */
export async function giveUp(
  { em }: Pick<Database, 'em'>,
  siteId: string,
  ids: readonly string[],
): Promise<MediaId[]> {
  const { rows } = await sql<MediaId>`
    update media_removals set begun = true, due_at = ${dueAtOnce}
    where site_id = ${siteId} and id = any(${ids}::text[]) and not begun returning site_id, id`.execute(
    em.getKysely(),
  );
  return rows;
}

/** Has the copies of an image removed that was deleted while they were made. */
export async function removeCopies({ em }: Database, { site_id, id }: MediaId): Promise<void> {
  await sql`
    with gone as (
      select ${site_id} as site_id, ${id} as id
      where not exists (select from media where site_id = ${site_id} and id = ${id})
    ),
    undone as (delete from media_to_size due using gone where due.site_id = gone.site_id and due.id = gone.id)
    insert into media_removals (site_id, id, due_at, begun) select site_id, id, ${dueAtOnce}, true from gone
    on conflict (site_id, id) do update set due_at = excluded.due_at where media_removals.begun`.execute(
    em.getKysely(),
  );
}

/**
 * Removes what is left of a file, unless somebody else does at this moment. False when the store fails: then the worker
 * tries again later.
 */
export async function removeNow(deps: RemovalDeps, file: MediaId): Promise<boolean> {
  const claimed = await claim(deps.database, sql`site_id = ${file.site_id} and id = ${file.id} and begun`);
  if (!claimed) return true;
  return remove(deps, claimed).then(
    () => true,
    () => false,
  );
}

/** Removes bytes whose time has come, of one file; says when to look again, null where there are none. Throws what the store fails with. */
export async function removeDue(
  deps: RemovalDeps & { logger: { warn(about: object, message: string): void } },
): Promise<number | null> {
  const claimed = await claim(deps.database, sql`true`);
  if (!claimed) return null;
  try {
    await remove(deps, claimed);
    return 0;
  } catch (err) {
    deps.logger.warn({ err, ...claimed }, 'deleting a media file failed; retrying');
    return failedMs;
  }
}

/** Bytes that nobody else removes until `due_at`. */
interface Claimed extends MediaId {
  due_at: Date;
}

/** What a row names stays, whatever was noted of it. */
const isDue = sql`r.due_at <= now() and not exists (select from media m where m.site_id = r.site_id and m.id = r.id)`;

export const someRemovalIsDue: RawBuilder<unknown> = sql`exists (select from media_removals r where ${isDue})`;

async function claim({ em }: Database, which: ReturnType<typeof sql>): Promise<Claimed | null> {
  const { rows } = await sql<Claimed>`
    update media_removals set begun = true, due_at = ${after(leaseMs)} from (
      select r.site_id as due_site, r.id as due_id from media_removals r where ${isDue} and ${which}
      order by r.due_at limit 1 for update skip locked
    ) due
    where site_id = due_site and id = due_id returning site_id, id, due_at`.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Who is told meanwhile that more has come under this id leaves the note as it is then. */
async function remove({ database, media }: RemovalDeps, file: Claimed) {
  const { site_id, id, due_at } = file;
  const own = sql`site_id = ${site_id} and id = ${id} and due_at = ${due_at}::timestamptz`;
  try {
    for (const key of keysOf(file, limits.widths)) await media.delete(key);
  } catch (error) {
    await sql`update media_removals set due_at = ${after(failedMs)} where ${own}`.execute(
      database.em.getKysely(),
    );
    throw error;
  }
  await sql`delete from media_removals where ${own}`.execute(database.em.getKysely());
}
