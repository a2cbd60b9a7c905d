import { type SqlBool, sql } from 'kysely';
import { slugBase } from '../../../shared/content/slug.ts';
import { lockTrashed, purge, putBack, type TrashedRow } from '../../../shared/content/trash/trash.ts';
import type { ContentWriter } from '../../../shared/content/write.ts';
import { emptyingMs, maxEmptied } from '../../../shared/contract/features/trash.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { allResources, type ContentCollection } from '../../../shared/contract/resources/index.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction, type SiteScope } from '../../api/transaction.ts';
import { requireOwnWork } from '../records/author-rights.ts';
import { freeSlugLike, slugOf } from '../records/slug.ts';
import { write } from '../records/writes.ts';

/**
 * Trash.
 *
 * A deleted record moves to the trash with its parts, and stays for a number of days (`retentionDays.trash`). From there it
 * moves on in one of three ways.
 *
 * - Restored: it returns under its slug, or the next free one, with its history.
 * - Purged by a person: one record, or all of them in batches.
 * - Expired: it is no longer listed and cannot be restored. The worker purges it later.
 */

interface Address {
  collection: ContentCollection;
  id: string;
}

/**
 * Lists one page of the trash of a site, or of one collection, last deleted first; also returns the total number. Expired
 * records are not listed, even if they are not purged yet.
 */
export function listTrash(
  { deps, siteId }: SiteScope,
  { collection, page, per_page }: { collection?: string | undefined; page: number; per_page: number },
) {
  const { database } = deps;
  const own = database.em.getKysely().selectFrom('trash').where('site_id', '=', siteId);
  const kept = own.where('deleted', '>', oldestRetained(deps));
  const rows = kept.select(['collection', 'id', 'title', 'deleted', 'actor']);
  const where = collection === undefined ? [] : [sql<SqlBool>`collection = ${collection}`];
  return newestPage({ database, siteId, rows, where }, { page, per_page, by: ['deleted', 'id'] });
}

/**
 * Restores a record with its parts, under its slug or the next free one. Returns the slug, null for a resource
 * without slugs, and the revision. Throws `not_found` if it is not in the trash or has expired, and
 * `validation_failed` if the record that it is part of does not exist. Throws `insufficient_role` if the caller may
 * write only own drafts and the record is not one.
 */
export const restoreTrashed = (
  { deps, siteId, actor, onlyOwn }: SiteScope & Pick<ContentWriter, 'actor'> & Pick<Context, 'onlyOwn'>,
  { collection, id }: Address,
) =>
  write({ deps, siteId }, async (em) => {
    const trashed = found(await lockTrashed(em, { siteId, collection, id, since: oldestRetained(deps) }));
    const resource = allResources[collection];
    const { partOf } = resource;
    const own = partOf ? { [partOf.by]: trashed.whole } : { ...trashed };
    await requireOwnWork(em, { siteId, actor, onlyOwn, resource }, own);
    await requireWhole(em, siteId, partOf, trashed.whole);
    if (!partOf) await bringParts(em);
    const slug = trashed.slug === null ? null : await slugLike(em, siteId, { collection, id }, trashed.slug);
    const revision = await putBack(em, { deps, siteId, resource, actor }, { trashed, slug });
    return { slug, revision };
  });

/**
 * Stops the database from counting parts, such as the lessons of a module, until the transaction ends. A restored
 * record returns with as many parts as it had.
 */
const bringParts = (em: Transaction) =>
  sql`select set_config('content.comes_back', 'on', true)`.execute(em.getKysely());

async function slugLike(em: Transaction, siteId: string, { collection, id }: Address, slug: string) {
  const scope = { siteId, resource: allResources[collection] };
  const free = await slugOf(em, freeSlugLike(scope, id, slug));
  const base = slugBase(slug);
  if (free === slug || base === slug) return free;
  return slugOf(em, freeSlugLike(scope, id, base));
}

const whereabouts = {
  trashed: 'is in the trash: restore it first',
  part: 'is in the trash as part of another record: restore that record first',
  gone: 'no longer exists',
} as const;

async function requireWhole(
  em: Transaction,
  siteId: string,
  partOf: Resource['partOf'],
  whole: TrashedRow['whole'],
) {
  if (!partOf) return;
  const { rows } = await sql<{ place: 'there' | keyof typeof whereabouts }>`
    select case
      when exists (select from ${sql.table(partOf.collection)} where site_id = ${siteId} and id = ${whole}) then 'there'
      when exists (select from trash where site_id = ${siteId} and collection = ${partOf.collection} and id = ${whole}) then 'trashed'
      when exists (select from trash_parts where site_id = ${siteId} and collection = ${partOf.collection} and id = ${whole}) then 'part'
      else 'gone' end as place`.execute(em.getKysely());
  const parentState = rows[0]?.place ?? 'gone';
  if (parentState === 'there') return;
  throw new ApiError('validation_failed', `${partOf.by}: the parent record ${whereabouts[parentState]}`);
}

/**
 * Deletes a record in the trash permanently, with its parts. Throws `not_found` if it is not there, or if its retention has
 * expired.
 */
export async function purgeTrashed({ deps, siteId }: SiteScope, { collection, id }: Address): Promise<void> {
  const where = sql`collection = ${collection} and id = ${id} and deleted > ${oldestRetained(deps)}`;
  const purged = await inTransaction(deps, siteId, (em) => purge(em, { siteId, where }));
  if (purged === 0) throw new ApiError('not_found');
}

/**
 * Purges the trash, or one collection of it, until it is empty, or a limit of time or number is reached. Returns the number
 * of purged records, 0 if it was empty.
 */
export const emptyTrash = ({ deps, siteId }: SiteScope, collection: ContentCollection | undefined) =>
  inTransaction(deps, siteId, async (em) => {
    const where = collection === undefined ? sql`true` : sql`collection = ${collection}`;
    const until = deps.clock.sinceStart() + emptyingMs;
    let emptied = 0;
    for (let purged = 1; purged > 0 && emptied < maxEmptied; emptied += purged) {
      if (emptied > 0 && deps.clock.sinceStart() >= until) break;
      purged = await purge(em, { siteId, where });
    }
    return emptied;
  });

/**
 * SQL: oldest deletion time that has not expired, by the earlier of two clocks, so that a clock that is ahead hides nothing.
 */
const oldestRetained = ({ clock }: StoreDeps) =>
  sql<Date>`least(${clock.now()}::timestamptz, clock_timestamp()) - ${retentionDays.trash} * interval '1 day'`;
