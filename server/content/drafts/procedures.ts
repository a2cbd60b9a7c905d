import { type SqlBool, sql } from 'kysely';
import { z } from 'zod';
import { documented } from '../../../shared/contract/documented.ts';
import { created, updated } from '../../../shared/contract/envelopes.ts';
import { apiFields } from '../../../shared/contract/fields.ts';
import { RevisionNumber } from '../../../shared/contract/history.ts';
import { numberedPage, pageQuery } from '../../../shared/contract/pagination.ts';
import { RecordId } from '../../../shared/contract/record-id.ts';
import { type Resource, titleFieldOf } from '../../../shared/contract/resource.ts';
import { draftCollections, resources } from '../../../shared/contract/resources/index.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { requireScopeOf } from '../../api/access/access-checks.ts';
import { keyProcedure } from '../../api/access/procedures.ts';
import { ApiError } from '../../api/api-error.ts';
import { router } from '../../api/trpc.ts';
import { type Collection, contentTables, ownNames } from '../records/collection.ts';
import { getOwn } from '../records/owner-reads.ts';

const collection = documented(z.enum(draftCollections), 'Collection of the draft', 'posts');

const aboutDrafts = { resource: draftCollections, access: 'write' } as const;

/** Draft in a list. Its body is read by ID. */
const DraftSummary = z.strictObject({
  id: RecordId,
  title: z.string().describe('Title of the draft'),
  created,
  updated,
  revision: RevisionNumber,
});

/** Drafts, for assistants that continue their own texts. A key that may write to a collection may read its drafts. */
export const drafts = {
  assistants: {
    drafts: router({
      list: keyProcedure
        .meta({ mcp: { ...aboutDrafts, name: 'list_drafts', title: 'List drafts of a collection' } })
        .input(z.object({ collection, ...pageQuery }))
        .use(({ ctx, input, next }) => {
          requireScopeOf(input.collection, ctx);
          return next();
        })
        .output(numberedPage(DraftSummary))
        .query(({ ctx, input: { collection, ...page } }) =>
          listDrafts({ ...ctx, resource: resourceAt(collection) }, page),
        ),
      get: keyProcedure
        .meta({ mcp: { ...aboutDrafts, name: 'get_draft', title: 'Get a draft by its ID' } })
        .input(z.object({ collection, id: RecordId }))
        .use(({ ctx, input, next }) => {
          requireScopeOf(input.collection, ctx);
          return next();
        })
        .output(z.record(z.string(), z.unknown()))
        .query(async ({ ctx, input }) => {
          const resource = resourceAt(input.collection);
          const draft = await getOwn({ ...ctx, resource }, input.id);
          if (!('is_draft' in draft) || !draft.is_draft) throw new ApiError('not_found');
          // Only the fields of the API's contract, without those for the studio.
          const own = z.record(z.string(), z.unknown()).parse(resource.own.parse(draft));
          const seen = new Set<string>(ownNames(apiFields(resource.fields)));
          return Object.fromEntries(
            Object.entries(own).filter(([name]) => seen.has(name) && !studioAlone.has(name)),
          );
        }),
    }),
  },
};

const studioAlone: ReadonlySet<string> = new Set(['publish_at', 'created_by']);

const resourceAt = (collection: keyof typeof resources): Resource => resources[collection];

/** Drafts of a collection, newest first. */
function listDrafts(collection: Collection, page: { page: number; per_page: number }) {
  const { siteId, deps, resource } = collection;
  // Drafts are not public. With this condition, the list index has them next to each other, in order.
  const rows = contentTables(collection)
    .selectFrom(resource.collection)
    .where('site_id', '=', sql<string>`${siteId} collate "POSIX"`)
    .where(sql<SqlBool>`not is_public`)
    .select(['id', 'created', 'updated', 'revision', sql.ref<string>(titleFieldOf(resource)).as('title')]);
  return newestPage({ database: deps.database, siteId, rows, where: [sql`is_draft`] }, page);
}
