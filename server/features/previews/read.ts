import { sql } from 'kysely';
import type { PreviewedCollection } from '../../../shared/contract/features/previews.ts';
import type { Fields } from '../../../shared/contract/fields.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { readerOfTier } from '../../../shared/paywall/gate.ts';
import type { Reader } from '../../../shared/paywall/reader.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import { shownInV2 } from '../posts/post-reads.ts';
import { contentTables, readableNames, typedRow } from '../records/collection.ts';
import { includedColumns, including } from '../records/included.ts';
import { shownWhen } from '../redirects/shown-at.ts';
import { getPreview } from './store.ts';

interface PreviewRequest {
  deps: Deps;
  siteId: string;
  token: string | undefined;
  include?: Include | undefined;
}

/**
 * What a link shows to those whom it is for: a draft, or what was published since. Throws `not_found` for a link that doesn't
 * work, and for a record that is in the trash, or no draft and hidden from visitors.
 */
export async function readPreviewed({ deps, siteId, token, include }: PreviewRequest) {
  const { collection, record_id: id, as } = await getPreview(deps, siteId, token);
  const reader = readerOfTier(as, id);
  const record = await recordOf({ deps, siteId, id, include }, collection, reader);
  return { as, reader, ...record };
}

interface One extends Omit<PreviewRequest, 'token'> {
  id: string;
}

async function recordOf(one: One, collection: PreviewedCollection, reader: Reader) {
  const { posts, projects, courses, pages } = resources;
  switch (collection) {
    case 'posts': {
      const { record, isShown } = await readOne(one, posts);
      return { collection, record: shownInV2(record, reader), isShown };
    }
    case 'projects':
      return { collection, ...(await readOne(one, projects)) };
    case 'courses':
      return { collection, ...(await readOne(one, courses)) };
    case 'pages':
      return { collection, ...(await readOne(one, pages)) };
  }
}

async function readOne<F extends Fields>(
  { id, include, ...place }: One,
  resource: Resource<F> & { collection: PreviewedCollection },
) {
  const row = await contentTables(place)
    .selectFrom(`${resource.collection} as r`)
    .select([...readableNames(resource.fields), ...includedColumns(include)])
    .select([
      sql<boolean>`is_draft`.as('is_draft'),
      sql<boolean>`${shownWhen(resource.collection)}`.as('is_shown'),
    ])
    .where('site_id', '=', place.siteId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row || !(row.is_draft || row.is_shown)) throw new ApiError('not_found');
  const { is_draft: _, is_shown: isShown, ...columns } = row;
  const [record = columns] = await including(place, [columns], include);
  return { record: typedRow<RecordOf<F>>(record), isShown };
}
