import { sql } from 'kysely';
import type { z } from 'zod';
import type { Reader } from '../../../shared/content/gate.ts';
import { readerOfTier } from '../../../shared/content/gate.ts';
import {
  type CreatePreview,
  previewLimits as limits,
  type Preview,
  type PreviewedCollection,
} from '../../../shared/contract/features/previews.ts';
import { redirectedCollections } from '../../../shared/contract/features/redirects.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { Actor } from '../../../shared/contract/history.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import { allResources, resources } from '../../../shared/contract/resources/index.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { ownOriginOf, sitePaths } from '../../../shared/contract/site-paths.ts';
import { Timestamp, toDate } from '../../../shared/contract/timestamps.ts';
import { PreviewEntity } from '../../../shared/db/entities/preview.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { isToken, newToken } from '../../api/access/credentials.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';
import { shownInV2 } from '../posts/public-procedures.ts';
import { requireOwnDraft } from '../records/author-rights.ts';
import { contentTables, readableNames, typedRow } from '../records/collection.ts';
import { includedColumns, including } from '../records/include-covers.ts';
import { requireOwn } from '../records/owner-reads.ts';
import { isPubliclyVisible } from '../redirects/public-path.ts';

interface PreviewScope extends Pick<Context, 'onlyOwn'> {
  deps: Deps;
  siteId: string;
  actor: Actor;
}

/**
 * Creates a preview link of a record. Without `ends_at`, it is valid for `previewLimits.days` days. The result contains the
 * token, which is not stored. Throws `not_found` if the record does not exist, and `insufficient_role` for another person's
 * draft. Throws `validation_failed` for an end in the past or too far away, and above the maximum number of links.
 */
export async function createPreview(
  { deps, siteId, ...writer }: PreviewScope,
  { collection, id: record_id, as, ends_at }: z.output<typeof CreatePreview>,
) {
  const now = deps.clock.now();
  const ends = new Timestamp(ends_at === undefined ? daysAfter(now, limits.days) : toDate(ends_at));
  if (ends <= now || ends.getTime() > daysAfter(now, limits.maxDays))
    throw new ApiError('validation_failed', `ends_at: must be within the next ${limits.maxDays} days`);
  requireOwnDraft(writer, await requireOwn({ deps, siteId, resource: allResources[collection] }, record_id));
  const id = newRecordId(now, deps.randomBytes);
  const token = newToken('svc_preview_', siteId, deps.randomBytes);
  return inTransaction(deps, siteId, async (em) => {
    const { custom_domain = null, subdomain = null } = await lockRow(em, Site, { id: siteId });
    await em.nativeDelete(PreviewEntity, { site_id: siteId, ends_at: { $lte: now } });
    if ((await em.count(PreviewEntity, { site_id: siteId })) >= limits.perSite)
      throw new ApiError(
        'validation_failed',
        `a site has at most ${limits.perSite} preview links: delete one first`,
      );
    const row = { site_id: siteId, id, collection, record_id, as, created: now, ends_at: ends };
    em.persist(em.create(PreviewEntity, { ...row, token_hash: hashSecret(token) }));
    const home = ownOriginOf({ custom_domain, subdomain }, deps.config) ?? deps.config.publicUrl.origin;
    return { id, url: home + sitePaths.preview.replace(':token', token), token, ends_at: ends };
  });
}

const daysAfter = (timestamp: Date, days: number) => timestamp.getTime() + days * 86_400_000;

/**
 * Lists all preview links of a site that have not expired, newest first; empty if there are none. `title` is null for a
 * deleted record.
 */
export function listPreviews({ database, clock }: Deps, siteId: string): Promise<z.infer<typeof Preview>[]> {
  const titles = redirectedCollections.map(
    (name) => sql`when ${sql.lit(name)} then (
      select title from ${sql.table(name)} r where r.site_id = previews.site_id and r.id = previews.record_id)`,
  );
  return live(database, siteId, clock.now())
    .select(['id', 'collection', 'record_id', 'as', 'created', 'ends_at'])
    .select(sql<string | null>`case collection ${sql.join(titles, sql` `)} end`.as('title'))
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/**
 * Deletes a preview link. Throws `not_found`, and `insufficient_role` if the caller may write only own drafts and the
 * record is not one.
 */
export async function revokePreview({ deps, siteId, ...writer }: PreviewScope, id: string): Promise<void> {
  await inTransaction(deps, siteId, async (em) => {
    const link = await lockRow(em, PreviewEntity, { site_id: siteId, id });
    const resource = allResources[link.collection];
    if (writer.onlyOwn) requireOwnDraft(writer, await requireOwn({ deps, siteId, resource }, link.record_id));
    em.remove(link);
  });
}

/**
 * Gets the record and the reader of a link. Throws `not_found` if the token belongs to no link of the site, or if the
 * link has expired.
 */
async function getPreview({ database, clock }: Deps, siteId: string, token = '') {
  if (!isToken('svc_preview_', token)) throw new ApiError('not_found');
  const links = live(database, siteId, clock.now()).select(['collection', 'record_id', 'as']);
  return found(await links.where('token_hash', '=', hashSecret(token)).executeTakeFirst());
}

const live = ({ em }: Deps['database'], siteId: string, now: Date) =>
  em.getKysely().selectFrom('previews').where('site_id', '=', siteId).where('ends_at', '>', now);

interface PreviewRead {
  deps: Deps;
  siteId: string;
  include?: Include | undefined;
}

/**
 * Reads the record of a preview link as the reader for whom it was made: a draft, or its published form. Throws
 * `not_found` if the link does not work, or if the record is in the trash, or published but hidden from visitors.
 */
export async function readPreviewed({ deps, siteId, include }: PreviewRead, token: string | undefined) {
  const { collection, record_id: id, as } = await getPreview(deps, siteId, token);
  const reader = readerOfTier(as, { collection, id });
  const record = await recordOf({ deps, siteId, include }, id, collection, reader);
  return { as, reader, ...record };
}

async function recordOf(read: PreviewRead, id: string, collection: PreviewedCollection, reader: Reader) {
  const { posts, projects, courses, pages } = resources;
  switch (collection) {
    case 'posts': {
      const { record, isShown } = await readOne(read, id, posts);
      return { collection, record: shownInV2(record, reader), isShown };
    }
    case 'projects':
      return { collection, ...(await readOne(read, id, projects)) };
    case 'courses':
      return { collection, ...(await readOne(read, id, courses)) };
    case 'pages':
      return { collection, ...(await readOne(read, id, pages)) };
  }
}

async function readOne<F extends Fields>(
  { include, ...collection }: PreviewRead,
  id: string,
  resource: Resource<F> & { collection: PreviewedCollection },
) {
  const row = await contentTables(collection)
    .selectFrom(`${resource.collection} as r`)
    .select([...readableNames(resource.fields), ...includedColumns(include)])
    .select([
      sql<boolean>`is_draft`.as('is_draft'),
      sql<boolean>`${isPubliclyVisible(resource.collection)}`.as('is_shown'),
    ])
    .where('site_id', '=', collection.siteId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || !(row.is_draft || row.is_shown)) throw new ApiError('not_found');
  const { is_draft: _, is_shown: isShown, ...columns } = row;
  const [record = columns] = await including(collection, [columns], include);
  return { record: typedRow<RecordOf<F>>(record), isShown };
}
