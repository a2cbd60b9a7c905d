import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { z } from 'zod';
import { cutText } from '../../shared/contract/cut-text.ts';
import {
  Media,
  type MediaType,
  mediaTypes,
  type UpdateOwnMedia,
} from '../../shared/contract/features/media.ts';
import { mediaUrl, withoutEnding } from '../../shared/contract/features/media-address.ts';
import { type Actor, personOf } from '../../shared/contract/history.ts';
import { media as limits } from '../../shared/contract/limits.ts';
import { namesOf } from '../../shared/contract/names-of.ts';
import { type PlanName, plans } from '../../shared/contract/plans.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { Timestamp } from '../../shared/contract/timestamps.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import type { Database } from '../../shared/db/config.ts';
import { MediaEntity } from '../../shared/db/entities/media.ts';
import { newestPage } from '../../shared/db/newest-page.ts';
import { dueAtOnce, giveUp, noteUnnamed, removeNow } from '../../shared/media/removals.ts';
import { type MediaStore, originalKey } from '../../shared/media/store.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Context } from '../api/context.ts';
import type { Deps, Infrastructure, StoreDeps } from '../api/deps.ts';
import { matches } from '../api/entity-tag.ts';
import { inTransaction, joined, lockRow, type SiteWrite } from '../api/transaction.ts';
import type { ExaminedFile } from './inspect-in-thread.ts';
import { usesOf } from './media-uses.ts';

type MediaDeps = StoreDeps & { media: MediaStore };

/** Upload of a file: site, uploader, and the sender's file name. */
export interface MediaUpload {
  actor?: Actor | undefined;
  siteId: string;
  /** Plan whose limits apply; null for no limits. */
  plan: PlanName | null;
  name: string;
}

const columns = namesOf(Media.omit({ url: true }));

const ownColumns = [...columns, 'created_by'] as const;

type Row = Omit<Media, 'url'>;

const withUrl = <R extends Row>(row: R) => {
  const { id, ...rest } = row;
  return { id, url: mediaUrl(row), ...rest };
};

/** Returns the plan of a site, which limits its media. Throws `not_found` if there is no such site. */
export async function planOf({ database }: Pick<Deps, 'database'>, siteId: string): Promise<PlanName> {
  const query = database.em.getKysely().selectFrom('sites').select('plan').where('id', '=', siteId);
  return found(await query.executeTakeFirst()).plan;
}

/** Returns the total size of a site's files, in bytes; 0 if it has none. */
export async function usedBytes({ database }: Pick<Deps, 'database'>, siteId: string): Promise<number> {
  const { rows } = await sql<{ used: number }>`
    select coalesce(sum(size), 0)::float8 as used from media where site_id = ${siteId}`.execute(
    database.em.getKysely(),
  );
  return found(rows[0]).used;
}

/**
 * Stores an examined file without its metadata. If the site already has the same bytes, returns the existing file
 * with `isNew` false. The bytes are stored before the row, so that no row lacks its bytes. Throws `media_full` if the
 * plan has no space left, and `MediaUnavailableError` if the media store is unavailable.
 */
export async function storeFile(
  deps: MediaDeps,
  examined: ExaminedFile,
  upload: MediaUpload,
): Promise<{ file: Media; isNew: boolean }> {
  const { siteId } = upload;
  const { type, size, width, height, sha256 } = examined;
  const known = await findByHash(deps, siteId, sha256);
  if (known) return { file: known, isNew: false };
  const created = new Timestamp(deps.clock.now());
  const id = newRecordId(created, deps.randomBytes);
  const own = { site_id: siteId, id };
  await noteUnnamed(deps.database, own);
  await deps.media.put(originalKey(own), examined.content(), size);
  const said = { name: fileName(upload.name, type), alt: '', caption: '', focus: null };
  const row = { id, ...said, type, size, width, height, widths: [], protected: false, created };
  // If the insert fails, its outcome may be unknown. If the row of the file was stored, its row in `media_removals` was
  // deleted by the same statement. Otherwise the worker deletes the bytes later.
  if (await insert(deps.database, upload, { ...row, sha256 })) return { file: withUrl(row), isNew: true };
  await giveUp(deps.database, siteId, [id]);
  await removeNow(deps, own);
  const twin = await findByHash(deps, siteId, sha256);
  if (!twin) throw new ApiError('media_full');
  return { file: twin, isNew: false };
}

/** Returns the name to store: without path and invisible characters, and with the extension of the detected type. */
function fileName(given: string, type: MediaType): string {
  const ending = `.${mediaTypes[type]}`;
  const last = given.toWellFormed().normalize('NFC').split(/[\\/]/).at(-1) ?? '';
  const stem = withoutEnding(last.replace(/\s+/g, ' ').replace(/\p{C}/gu, '')).trim();
  const cut = cutText(stem, limits.maxNameLength - ending.length).trim();
  return `${cut.replace(/^\.+/, '') || 'file'}${ending}`;
}

/**
 * Inserts the row. Returns false if the site has the same bytes or is full, or if the upload took so long that its bytes
 * were abandoned.
 */
async function insert({ em }: Database, { siteId, plan, actor }: MediaUpload, row: Row & { sha256: string }) {
  const { id, name, type, size, width, height, sha256, created } = row;
  const hasSizes = width !== null && width > limits.widths[0];
  const { rows } = await sql`
    with noted as (select id from media_removals where site_id = ${siteId} and id = ${id} and not begun for update),
    used as (select coalesce(sum(size), 0) as bytes from media where site_id = ${siteId}),
    kept as (
      insert into media (site_id, id, name, alt, caption, type, size, width, height, sha256, widths, created, created_by)
      select ${siteId}, ${id}, ${name}, '', '', ${type}, ${size}::bigint, ${width}::integer, ${height}::integer, ${sha256}, '{}', ${created}::timestamptz, ${personOf(actor)}::text
      from used, noted where bytes + ${size}::bigint <= coalesce(${plan && plans[plan].media.all}::bigint, bytes + ${size}::bigint)
      on conflict (site_id, sha256) do nothing returning id
    ),
    named as (delete from media_removals r using kept where r.site_id = ${siteId} and r.id = kept.id),
    due as (
      insert into media_to_size (site_id, id, due_at, tries)
      select ${siteId}, id, ${created}::timestamptz, 0 from kept where ${hasSizes}
    )
    select id from kept`.execute(em.getKysely());
  return rows.length > 0;
}

/** Returns the file of a site with these bytes; null if there is none. */
export async function findByHash({ database }: MediaDeps, siteId: string, sha256: string) {
  const query = database.em.getKysely().selectFrom('media').select(columns).where('site_id', '=', siteId);
  const row = await query.where('sha256', '=', sha256).executeTakeFirst();
  return row ? withUrl(row) : null;
}

type ServedFile = Pick<Row, 'id' | 'name' | 'size' | 'widths' | 'protected'> & {
  type: MediaType;
  sha256: string;
};

declare module '../api/deps.ts' {
  interface Deps {
    findFile: ReturnType<typeof createFileFinder>;
  }
}

/** Returns a function that finds a site's file for visitors; null if there is none. */
export const createFileFinder =
  ({ database }: Pick<Infrastructure, 'database'>) =>
  async (siteId: string, id: string): Promise<ServedFile | null> => {
    const { rows } = await sql<ServedFile>`${preparedStatement}
      select id, name, type, size, sha256, widths, protected from media where site_id = ${siteId} and id = ${id}`.execute(
      database.em.getKysely(),
    );
    return rows[0] ?? null;
  };

/** Lists one page of a site's files, newest first, and their total number. */
export async function listMedia(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  page: { page: number; per_page: number },
) {
  const rows = database.em.getKysely().selectFrom('media').select(ownColumns).where('site_id', '=', siteId);
  const { items, ...rest } = await newestPage({ database, siteId, rows }, page);
  return { items: items.map((row) => withUrl(row)), ...rest };
}

/** Returns a file. Throws `not_found` if the site has none with this ID. */
export async function getMedia({ database }: Pick<Deps, 'database'>, siteId: string, id: string) {
  const query = database.em.getKysely().selectFrom('media').select(ownColumns).where('site_id', '=', siteId);
  return withUrl(found(await query.where('id', '=', id).executeTakeFirst()));
}

/** Returns a revision of a file, a hash of its writable fields. Equal values give equal revisions. */
export const mediaRevision = ({
  alt,
  caption,
  focus,
  protected: isProtected,
}: Pick<Row, 'alt' | 'caption' | 'protected'> & { focus?: Row['focus'] | undefined }) => {
  const written = [alt, caption, focus && [focus.x, focus.y], ...(isProtected ? [true] : [])];
  return 1 + hash('sha256', JSON.stringify(written), 'buffer').readUIntBE(0, 6);
};

/**
 * Updates the alternative text, caption, focal point and protection. Throws `not_found`, `insufficient_role`,
 * `precondition_failed`, and `media_in_use` if the protection changes while the site uses the file.
 */
export async function updateMedia(
  { deps, siteId, ifMatch, ...writer }: SiteWrite & Writer,
  { id, ...said }: z.infer<typeof UpdateOwnMedia>,
) {
  const { alt, caption, focus, protected: isProtected } = said;
  await inTransaction(deps, siteId, async (em) => {
    const row = await lockRow(em, MediaEntity, { site_id: siteId, id });
    requireOwnFile(writer, row);
    if (!matches(ifMatch, mediaRevision(row))) throw new ApiError('precondition_failed');
    if (alt !== undefined) em.assign(row, { alt: alt ?? '' });
    if (caption !== undefined) em.assign(row, { caption: caption ?? '' });
    if (focus !== undefined) em.assign(row, { focus });
    if (isProtected === undefined || isProtected === row.protected) return;
    // This transaction has locked the file, and writers lock the files that their texts name. So no use appears between this
    // query and the commit.
    const uses = await usesOf(joined(deps, siteId, em), siteId, id);
    if (uses.length > 0) throw new ApiError('media_in_use');
    em.assign(row, { protected: isProtected });
  });
}

type Writer = Pick<Context, 'onlyOwn' | 'actor'>;

function requireOwnFile(
  { onlyOwn, actor }: Writer,
  { created_by }: { created_by?: string | null | undefined },
) {
  if (onlyOwn && created_by !== actor?.id)
    throw new ApiError('insufficient_role', 'your role allows changing only files that you uploaded');
}

/**
 * Deletes a file: first its row, then its bytes. If the media store is unavailable, the worker deletes the bytes
 * later. Throws `not_found`, and `insufficient_role` if the caller may delete only own files.
 */
export async function deleteMedia(
  { deps, siteId, ...writer }: Writer & { deps: MediaDeps; siteId: string },
  id: string,
) {
  const { database, media } = deps;
  if (writer.onlyOwn) requireOwnFile(writer, await getMedia(deps, siteId, id));
  const own = { site_id: siteId, id };
  const { rows } = await sql`
    with gone as (delete from media where site_id = ${siteId} and id = ${id} returning site_id, id)
    insert into media_removals (site_id, id, due_at, begun) select site_id, id, ${dueAtOnce}, true from gone
    on conflict (site_id, id) do update set due_at = excluded.due_at, begun = true returning id`.execute(
    database.em.getKysely(),
  );
  found(rows[0]);
  await removeNow({ database, media }, own);
}
