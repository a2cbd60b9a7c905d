import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { media as limits } from '../../shared/contract/limits.ts';
import { isInvalidLease } from '../../shared/db/advisory-lock.ts';
import type { Database } from '../../shared/db/config.ts';
import { removeNow, removeRenditions } from '../../shared/media/removals.ts';
import { type MediaId, type MediaStore, originalKey, sizeKey } from '../../shared/media/store.ts';
import { opsCommand } from '../../shared/runtime/ops-command.ts';
import { removeLeftFolders } from '../../shared/runtime/remove-left-folders.ts';
import { FaultyInputError, runApart } from '../run-program.ts';

interface SizingDeps {
  database: Database;
  media: MediaStore;
  logger: { warn(about: object, message: string): void };
}

/** Lease of an image, in milliseconds. Its process is killed earlier. */
const leaseMs = 120_000;

/**
 * Pause after a failure that the image did not cause, such as an outage of the media store, in milliseconds. Such
 * failures are retried without limit.
 */
const troubleMs = 5_000;

/** Delay of an image after a failure, in milliseconds, so that others come first. */
const putOffMs = 30_000;

/** Maximum number of decoding attempts. Then the image stays without renditions. */
const maxAttempts = 3;

interface Image extends MediaId {
  width: number;
  sha256: string;
  /** Number of earlier decoding attempts. */
  tries: number;
}

/**
 * Reason why an image gets no renditions: its file is missing from an available store, differs from the upload, or
 * cannot be decoded.
 */
type Fault = 'missing' | 'damaged' | 'undecodable';

/**
 * Image worker: creates the renditions of one image that has none yet. Returns the pause before the next call in
 * milliseconds, or null if no image is due.
 *
 * A row of `media_to_size` moves through these states:
 *
 *   due ──claim──▶ leased for 2 min ──▶ row deleted: all renditions are stored and the image lists their widths
 *                    │                  (or the image was deleted: its renditions are removed too)
 *                    ├──▶ given up   (missing or damaged file, or 3 failed decoding attempts; final)
 *                    ├──▶ due again after 30 s  (other failure, or decoding failed; only the latter counts as an attempt)
 *                    ├──▶ due now    (the worker was stopped)
 *                    └── lease expired: the process died ──▶ due
 *
 * Decoding also fails if its process crashes, or is killed after 60 s. The row stays until the end, so no image is lost if a
 * worker dies. An image lists its renditions only once all are stored.
 */
export async function makeRenditions(
  deps: SizingDeps,
  stopping: AbortSignal,
  served: SitesServed = new Set(),
): Promise<number | null> {
  const claimed = await claim(deps.database, served);
  if (!claimed) return null;
  noteTurn(served, claimed.site_id);
  const { width, sha256, ...file } = claimed;
  if (width === null || sha256 === null) {
    await forget(deps, file);
    return 0;
  }
  const image = { ...file, width, sha256 };
  const folder = await makeWorkingFolder();
  try {
    const made = await makeAll(deps, image, { folder, stopping });
    if (typeof made === 'string') await giveUp(deps, image, made);
    else await finish(deps, image, made);
    return 0;
  } catch (err) {
    if (stopping.aborted) {
      await putBack(deps.database, image, { tries: image.tries, ms: 0 });
      return 0;
    }
    return await putOff(deps, image, err);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface ClaimedImage extends MediaId {
  tries: number;
  /** Width of the image, in pixels. Null, like its hash, if the image was deleted. */
  width: number | null;
  sha256: string | null;
}

/** Sites whose images this process handled recently, the most recent last. */
type SitesServed = Set<string>;

/** Maximum number of remembered sites. More rarely have images waiting at the same time. */
const maxServed = 1_000;

function noteTurn(served: SitesServed, siteId: string) {
  served.delete(siteId);
  served.add(siteId);
  const [first] = served;
  if (first !== undefined && served.size > maxServed) served.delete(first);
}

/** SQL condition: an image is due. A due time too far in the future counts as due, because the clock was set back. */
const isDue = sql`(due_at <= now() or ${isInvalidLease(sql`due_at`, leaseMs)}) and given_up is null`;

export const someImageIsDue: RawBuilder<unknown> = sql`exists (select from media_to_size where ${isDue})`;

/**
 * Claims the oldest image of the site that this process served longest ago, so that many images of one site do not block
 * others. Null if none is due. Sites that it did not serve recently come first, by waiting time. The query probes the index
 * once per site, however many images wait.
 */
async function claim({ em }: Database, served: SitesServed): Promise<ClaimedImage | null> {
  const { rows } = await sql<ClaimedImage>`
    with recursive sites as (
      (select site_id from media_to_size order by site_id limit 1)
      union all
      select next.* from sites cross join lateral (
        select site_id from media_to_size where site_id > sites.site_id order by site_id limit 1
      ) next
    ),
    oldest as (
      select first.* from sites cross join lateral (
        select site_id, id, due_at as since from media_to_size where site_id = sites.site_id and ${isDue} order by id limit 1
      ) first
    ),
    due as (
      select m.site_id, m.id from oldest join media_to_size m using (site_id, id) where ${isDue}
      order by array_position(${[...served]}::text[], site_id) nulls first, since limit 1 for update of m skip locked
    ),
    begun as (
      update media_to_size m set due_at = now() + ${leaseMs} * interval '1 millisecond' from due
      where m.site_id = due.site_id and m.id = due.id returning m.site_id, m.id, m.tries
    )
    select begun.site_id, begun.id, begun.tries, media.width, media.sha256
    from begun left join media on media.site_id = begun.site_id and media.id = begun.id`.execute(
    em.getKysely(),
  );
  return rows[0] ?? null;
}

/** Creates all renditions. Returns their widths, or the image's fault. */
async function makeAll(
  { media, database }: SizingDeps,
  image: Image,
  { folder, stopping }: { folder: string; stopping: AbortSignal },
): Promise<number[] | Fault> {
  const widths = limits.widths.filter((width) => width < image.width);
  const original = await media.get(originalKey(image));
  if (!original) return 'missing';
  const input = join(folder, 'original');
  if ((await fetchTo(input, original)) !== image.sha256) return 'damaged';
  if (image.tries >= maxAttempts) return 'undecodable';
  // Count the attempt before decoding, in case decoding ends this process.
  await change(database, image, sql`tries = tries + 1`);
  const made = await resize(input, folder, widths, stopping);
  for (const { width, path } of made) {
    const { size } = await stat(path);
    await media.put(sizeKey(image, width), createReadStream(path), size);
  }
  return made.map(({ width }) => width);
}

/** Writes a file and returns its SHA-256. */
async function fetchTo(path: string, content: Readable): Promise<string> {
  const hash = createHash('sha256');
  const hashed = new PassThrough().on('data', (part: Buffer) => hash.update(part));
  await pipeline(content, hashed, createWriteStream(path));
  return hash.digest('hex');
}

/** Updates the row of an image that waits for its renditions. */
const change = ({ em }: Database, { site_id, id }: Image, changes: RawBuilder<unknown>) =>
  sql`update media_to_size set ${changes} where site_id = ${site_id} and id = ${id}`.execute(em.getKysely());

const putBack = (database: Database, image: Image, { tries, ms }: { tries: number; ms: number }) =>
  change(database, image, sql`due_at = now() + ${ms} * interval '1 millisecond', tries = ${tries}`);

/**
 * Postpones an image. Only a failure of the image itself counts as an attempt. Returns the pause before the next call
 * in milliseconds.
 */
async function putOff(deps: SizingDeps, image: Image, err: unknown): Promise<number> {
  const about = { err, site_id: image.site_id, media_id: image.id };
  const isItsFault = err instanceof FaultyInputError;
  const tries = image.tries + (isItsFault ? 1 : 0);
  if (tries >= maxAttempts && isItsFault) await giveUp(deps, image, 'undecodable');
  else await putBack(deps.database, image, { tries, ms: putOffMs });
  deps.logger.warn(
    about,
    isItsFault ? 'image cannot be decoded' : 'resizing an image failed; retrying later',
  );
  return isItsFault ? 0 : troubleMs;
}

async function giveUp({ database, logger }: SizingDeps, image: Image, fault: Fault) {
  await change(database, image, sql`given_up = ${fault}`);
  const about = { site_id: image.site_id, media_id: image.id, fault };
  logger.warn(
    about,
    `resizing an image was given up; list such images with \`${opsCommand('media check')}\``,
  );
}

/** Stores the widths of the renditions. If the image was deleted since, its renditions are removed. */
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

/** Removes renditions of a deleted image, including those of a worker that died. */
async function forget(deps: SizingDeps, image: MediaId) {
  await removeRenditions(deps.database, image);
  await removeNow(deps, image);
}

const resizeProgram = join(import.meta.dirname, 'resize-process.ts');

/** Timeout for resizing, in milliseconds. A large image takes a few seconds. */
const maxMs = 60_000;

const Made = z.array(z.object({ width: z.int(), path: z.string() }));

/**
 * Creates renditions as WebP. A separate process decodes the image, because decoders are a target of hostile images.
 * Throws as `runApart` does.
 */
async function resize(
  input: string,
  folder: string,
  widths: readonly number[],
  stopping: AbortSignal,
): Promise<z.infer<typeof Made>> {
  const args = [input, folder, ...widths.map(String)];
  const env = { VIPS_BLOCK_UNTRUSTED: '1' };
  return Made.parse(JSON.parse(await runApart(resizeProgram, { args, env, maxMs, stopping })));
}

const workingFolderPrefix = 'creator-content-sizes-';

/** Creates a folder for renditions, because the separate process needs file names. The caller removes it. */
const makeWorkingFolder = () => mkdtemp(join(tmpdir(), workingFolderPrefix));

/** Removes folders of workers that were killed. */
export const removeLeftWork = () =>
  removeLeftFolders(tmpdir(), (name) => name.startsWith(workingFolderPrefix));
