import { sql } from 'kysely';
import { media as limits } from '../../../shared/contract/limits.ts';
import { plans } from '../../../shared/contract/plans.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { classifyDatabaseError } from '../../../shared/db/database-errors.ts';
import { giveUp, noteUnnamed, removeNow } from '../../../shared/media/removals.ts';
import { originalKey } from '../../../shared/media/store.ts';
import { ApiError } from '../../api/api-error.ts';
import { planOf, usedBytes } from '../../media/store.ts';
import type { CheckedBatch } from '../check-batch.ts';
import type { ImportTarget } from '../import-target.ts';
import type { Row } from '../site-rows.ts';
import type { PendingRow } from '../skip-rows.ts';
import { getArchiveTable } from './archive-tables.ts';
import { checkedLines } from './checked-lines.ts';
import type { ArchivedFile, ArchiveManifest } from './manifest.ts';
import { type ArchivedMediaFile, mediaFolder } from './manifest.ts';

export const mediaRowsName = 'media.jsonl';

export const mediaRows = getArchiveTable('media');

/**
 * Returns the valid media rows of an archive whose files it contains, one per ID. Invalid rows are left out. Throws
 * `validation_failed` if `content` cannot be read as rows.
 */
export async function listSoundRows(
  { siteId, deps }: Pick<ImportTarget, 'siteId' | 'deps'>,
  content: AsyncIterable<Buffer>,
  manifest: ArchiveManifest,
): Promise<ArchivedMediaFile[]> {
  const check = withBytes(manifest);
  const rows = new Map<string, ArchivedMediaFile>();
  for await (const { checked } of checkedLines(deps, { siteId, name: mediaRows.name }, content))
    for (const { row } of check(checked).sound) {
      const id = String(row.id);
      if (!rows.has(id)) rows.set(id, { id, size: Number(row.size), sha256: String(row.sha256) });
    }
  return [...rows.values()];
}

/**
 * Returns archived media files that the site does not have, by ID. A file counts as present if its ID or its bytes are,
 * and equal bytes are returned once.
 */
export async function findLacking(
  { deps, siteId }: ImportTarget,
  rows: readonly ArchivedMediaFile[],
): Promise<ReadonlyMap<string, ArchivedMediaFile>> {
  const { rows: present } = await sql<{ id: string; sha256: string }>`
    select id, sha256 from media where site_id = ${siteId} and id = any(${rows.map(({ id }) => id)}::text[])
    union
    select id, sha256 from media where site_id = ${siteId} and sha256 = any(${rows.map(({ sha256 }) => sha256)}::text[])`.execute(
    deps.database.em.getKysely(),
  );
  const ids = new Set(present.map(({ id }) => id));
  const contents = new Set(present.map(({ sha256 }) => sha256));
  const lacking = new Map<string, ArchivedMediaFile>();
  for (const row of rows) {
    if (ids.has(row.id) || contents.has(row.sha256)) continue;
    contents.add(row.sha256);
    lacking.set(row.id, row);
  }
  return lacking;
}

/** Maximum time for deleting unused files after an import, in milliseconds. */
const maxRemovalMs = 10_000;

/**
 * Creates the import of an archive's media. Each file is stored before its row, so no row is ever without its bytes. `keep`
 * throws `transfer_busy` if an earlier file with this ID is being removed at the time. `whatLacks` returns the reason why a
 * row cannot be imported, or null.
 */
export function createMediaImport(target: ImportTarget, lacking: ReadonlyMap<string, ArchivedMediaFile>) {
  const { deps, siteId, dryRun, signal } = target;
  const kept = new Set<string>();
  const isKept = (id: string) => (dryRun ? lacking.has(id) : kept.has(id));
  return {
    /** Stores the bytes of a file if the site does not have them. */
    async keep(id: string, { content, bytes }: { content: AsyncIterable<Buffer>; bytes: number }) {
      if (dryRun || !lacking.has(id)) {
        for await (const _ of content);
        return;
      }
      await noteNew(target, id);
      kept.add(id);
      await deps.media.put(originalKey({ site_id: siteId, id }), content, bytes);
    },
    whatLacks: (row: Row) =>
      isKept(String(row.id))
        ? null
        : 'Not imported: the media of the site changed during the import. Import the file again',
    async alsoStore(em: Transaction, stored: readonly PendingRow[]) {
      const ids = stored.map(({ row }) => String(row.id));
      await claimStored(em, siteId, ids);
      await requestRenditions(em, target, ids);
    },
    /**
     * Deletes files that this import stored without storing their rows. The worker deletes the remaining ones later.
     */
    async removeUnnamed() {
      // The site's lock is lost: another import may be about to use these files.
      if (kept.size === 0 || classifyDatabaseError(signal.reason)) return;
      const unnamed = await giveUp(deps.database, siteId, [...kept]).catch(() => []);
      const until = performance.now() + maxRemovalMs;
      for (const file of unnamed) {
        // The loop ends if the store is slow or fails, since the site stays locked until then.
        if (!(await removeNow(deps, file)) || performance.now() > until) return;
      }
    },
  };
}

/**
 * Registers bytes for removal before they are stored. Earlier bytes under the same ID that still await removal are
 * deleted first. Throws `transfer_busy`.
 */
async function noteNew({ deps, siteId }: ImportTarget, id: string) {
  const file = { site_id: siteId, id };
  if (await noteUnnamed(deps.database, file)) return;
  await removeNow(deps, file);
  if (await noteUnnamed(deps.database, file)) return;
  throw new ApiError(
    'transfer_busy',
    `the deleted media ${id} are being removed: import again in a few minutes`,
  );
}

/** Assigns bytes to their rows by deleting their removal notes. Throws if their removal has begun. */
async function claimStored(em: Transaction, siteId: string, ids: readonly string[]) {
  const { rows } = await sql`
    delete from media_removals where site_id = ${siteId} and id = any(${ids}::text[]) and not begun returning id`.execute(
    em.getKysely(),
  );
  if (rows.length < ids.length) throw new Error('media files were deleted during their import');
}

/**
 * Throws `payload_too_large` if one file exceeds the limit of the site's plan, and `media_full` if all files together
 * do.
 */
export async function requireRoom(
  { deps, siteId }: ImportTarget,
  lacking: ReadonlyMap<string, ArchivedMediaFile>,
): Promise<void> {
  const { file: maxOfOne, all } = plans[await planOf(deps, siteId)].media;
  const used = await usedBytes(deps, siteId);
  let needed = 0;
  for (const { id, size } of lacking.values()) {
    needed += size;
    if (size > maxOfOne)
      throw new ApiError(
        'payload_too_large',
        `${mediaFolder}${id}: the file is too large: the site's plan takes files of up to ${maxOfOne / 1e6} MB`,
      );
  }
  if (used + needed > all)
    throw new ApiError(
      'media_full',
      `the archive has ${megabytes(needed)} of media more than the site, whose plan has room for ${megabytes(Math.max(0, all - used))}`,
    );
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Returns a check that refuses media rows whose size or checksum differs from the archived file. */
export function withBytes({ files }: ArchiveManifest): (batch: CheckedBatch) => CheckedBatch {
  const known = new Map<string, ArchivedFile>(files.map((file) => [file.name, file]));
  const isThere = ({ row }: PendingRow) => {
    const file = known.get(`${mediaFolder}${row.id}`);
    return file?.bytes === row.size && file?.sha256 === row.sha256;
  };
  return ({ sound, refused }) => {
    const lacking = sound.filter((one) => !isThere(one));
    const why = 'Not imported: the archive does not contain the file, or a different one';
    return {
      sound: sound.filter(isThere),
      refused: [...refused, ...lacking.map(({ candidate }) => ({ candidate, why }))],
    };
  };
}

/** Requests renditions of images from the worker. */
async function requestRenditions(em: Transaction, { siteId, deps }: ImportTarget, ids: readonly string[]) {
  await sql`
    insert into media_to_size (site_id, id, due_at, tries)
    select site_id, id, ${deps.clock.now()}::timestamptz, 0 from media
    where site_id = ${siteId} and id = any(${ids}::text[]) and width > ${limits.widths[0]}
    on conflict do nothing`.execute(em.getKysely());
}
