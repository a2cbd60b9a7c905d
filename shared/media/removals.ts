import { type RawBuilder, sql } from 'kysely';
import { media as limits } from '../contract/limits.ts';
import type { Database } from '../db/config.ts';
import { keysOf, type MediaId, type MediaStore } from './store.ts';

/** Time within which a stored file must get its row in `media`, in milliseconds. Otherwise it is deleted. */
const namedWithinMs = 24 * 3_600_000;

/** Lease of a removal, in milliseconds. Requests to the store time out earlier. */
const leaseMs = 600_000;

/** Pause after a failed removal, in milliseconds. */
const failedMs = 10_000;

interface RemovalDeps {
  database: Database;
  media: MediaStore;
}

/** SQL: due immediately. The column has milliseconds, and a time that was rounded up would not be due yet. */
export const dueAtOnce = sql`date_trunc('milliseconds', now())`;

const after = (ms: number) => sql`now() + ${ms} * interval '1 millisecond'`;

/**
 * Announces a file before it is stored, so that it is found and deleted if it never gets its row. Returns false while
 * an earlier file with the same ID is being deleted.
 */
export async function noteUnnamed({ em }: Pick<Database, 'em'>, { site_id, id }: MediaId): Promise<boolean> {
  const { rows } = await sql`
    insert into media_removals (site_id, id, due_at, begun) values (${site_id}, ${id}, ${after(namedWithinMs)}, false)
    on conflict (site_id, id) do update set due_at = excluded.due_at where not media_removals.begun returning id`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}

/** Abandons files without a row: they cannot get one afterwards. Returns those whose bytes must be deleted. */
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

/** Schedules the deletion of renditions whose image was deleted while they were created. */
export async function removeRenditions({ em }: Database, { site_id, id }: MediaId): Promise<void> {
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
 * Deletes the remaining bytes of a file, unless another process is doing so. Returns false if the store fails; the
 * worker retries later.
 */
export async function removeNow(deps: RemovalDeps, file: MediaId): Promise<boolean> {
  const claimed = await claim(deps.database, sql`site_id = ${file.site_id} and id = ${file.id} and begun`);
  if (!claimed) return true;
  return remove(deps, claimed).then(
    () => true,
    () => false,
  );
}

/**
 * Deletes the bytes of one file that is due. Returns the pause before the next call in milliseconds, or null if none is due.
 * Failures of the store are logged.
 *
 * A row of `media_removals` moves through these states:
 *
 *   announced ──the file gets its row──▶ row deleted, bytes stay
 *       └──due after 24 h, or abandoned──▶ begun: the file cannot get a row any more
 *   begun, or the file was deleted ──claim──▶ leased for 10 min ──▶ row and bytes deleted
 *                                               ├──▶ due again after 10 s  (the store failed)
 *                                               └── lease expired: the process died ──▶ due
 */
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

/** Removal that this process owns until `due_at`. */
interface ClaimedRemoval extends MediaId {
  due_at: Date;
}

/** SQL condition: a removal is due. Files with a row stay in any case. */
const isDue = sql`r.due_at <= now() and not exists (select from media m where m.site_id = r.site_id and m.id = r.id)`;

export const someRemovalIsDue: RawBuilder<unknown> = sql`exists (select from media_removals r where ${isDue})`;

async function claim({ em }: Database, which: ReturnType<typeof sql>): Promise<ClaimedRemoval | null> {
  const { rows } = await sql<ClaimedRemoval>`
    update media_removals set begun = true, due_at = ${after(leaseMs)} from (
      select r.site_id as due_site, r.id as due_id from media_removals r where ${isDue} and ${which}
      order by r.due_at limit 1 for update skip locked
    ) due
    where site_id = due_site and id = due_id returning site_id, id, due_at`.execute(em.getKysely());
  return rows[0] ?? null;
}

/** Deletes the bytes. If the removal was renewed in the meantime because more bytes arrived, its row stays. */
async function remove({ database, media }: RemovalDeps, file: ClaimedRemoval) {
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
