import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import { media as limits } from '../../shared/contract/limits.ts';
import type { Database } from '../../shared/db/config.ts';
import { removeCopies, removeNow } from '../../shared/media/removals.ts';
import { type MediaId, type MediaStore, originalKey, sizeKey } from '../../shared/media/store.ts';
import { resize } from './resize.ts';
import { makeWorkingFolder } from './working-folder.ts';

export interface SizingDeps {
  database: Database;
  media: MediaStore;
  logger: { warn(about: object, message: string): void };
}

/** How often images that came meanwhile are looked for. */
const pauseMs = 500;

/** An image that is being worked on belongs to its worker for so long; it is killed before. */
const leaseMs = 120_000;

/** One that makes its process die each time is left without copies. */
const mostTries = 3;

interface Image extends MediaId {
  width: number;
}

/**
 * Makes the smaller copies of an image that has none yet; says when to look again. The row says what is due, so nothing is
 * lost with a worker, and an image has no copies before all of them are there.
 */
export async function makeSizes(deps: SizingDeps, stopping: AbortSignal): Promise<number> {
  const claimed = await claim(deps.database);
  if (!claimed) return pauseMs;
  const { width, ...file } = claimed;
  if (width === null) {
    await forget(deps, file);
    return 0;
  }
  const image = { ...file, width };
  const folder = await makeWorkingFolder();
  try {
    await finish(deps, image, await makeAll(deps, image, { folder, stopping }));
  } catch (err) {
    if (stopping.aborted) await giveBack(deps.database, image);
    else
      deps.logger.warn({ err, site_id: image.site_id, media_id: image.id }, 'an image got no smaller copies');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
}

/** Takes the image that has waited longest, with no width when it was deleted meanwhile; whoever has tried for the last time takes it off the list. */
async function claim({ em }: Database): Promise<(MediaId & { width: number | null }) | null> {
  const { rows } = await sql<MediaId & { width: number | null }>`
    with due as (
      select site_id, id from media_to_size where due_at <= now() order by due_at limit 1 for update skip locked
    ),
    given_up as (
      delete from media_to_size m using due where m.site_id = due.site_id and m.id = due.id and m.tries >= ${mostTries}
    ),
    begun as (
      update media_to_size m set due_at = now() + ${leaseMs} * interval '1 millisecond', tries = m.tries + 1
      from due where m.site_id = due.site_id and m.id = due.id and m.tries < ${mostTries} returning m.site_id, m.id
    )
    select begun.site_id, begun.id, media.width
    from begun left join media on media.site_id = begun.site_id and media.id = begun.id`.execute(
    em.getKysely(),
  );
  return rows[0] ?? null;
}

interface Work {
  folder: string;
  stopping: AbortSignal;
}

/** The widths that there are copies of afterwards. */
async function makeAll({ media }: SizingDeps, image: Image, { folder, stopping }: Work): Promise<number[]> {
  const widths = limits.widths.filter((width) => width < image.width);
  const original = await media.get(originalKey(image));
  if (!original) return [];
  const input = join(folder, 'original');
  await pipeline(original, createWriteStream(input));
  const made = await resize({ input, folder, widths }, stopping);
  for (const { width, path } of made) {
    const { size } = await stat(path);
    await media.put(sizeKey(image, width), createReadStream(path), size);
  }
  return made.map(({ width }) => width);
}

/** A worker that is told to stop in the middle leaves the image to another, as if it had not begun. */
const giveBack = ({ em }: Database, { site_id, id }: Image) =>
  sql`update media_to_size set due_at = now(), tries = tries - 1 where site_id = ${site_id} and id = ${id}`.execute(
    em.getKysely(),
  );

/** Tells of the copies. Those of an image that was deleted meanwhile go too. */
async function finish(deps: SizingDeps, image: Image, widths: readonly number[]) {
  const { rows } = await sql`
    with sized as (
      update media set widths = ${widths}::integer[] where site_id = ${image.site_id} and id = ${image.id} returning site_id, id
    )
    delete from media_to_size due using sized where due.site_id = sized.site_id and due.id = sized.id returning due.id`.execute(
    deps.database.em.getKysely(),
  );
  if (rows.length === 0) await forget(deps, image);
}

/** What was made of an image before it was deleted goes; a worker that died may have left some. */
async function forget(deps: SizingDeps, image: MediaId) {
  await removeCopies(deps.database, image);
  await removeNow(deps, image);
}
