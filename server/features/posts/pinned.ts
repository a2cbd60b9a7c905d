import { type SqlBool, sql } from 'kysely';
import type { RecordOf } from '../../../shared/contract/resource.ts';
import type { post } from '../../../shared/contract/resources/post.ts';
import { type Collection, typedRows } from '../records/collection.ts';
import { everything, listedRows } from '../records/listed-rows.ts';
import { inOrder, orderOf } from '../records/order.ts';

type PostFields = (typeof post)['fields'];

/** The public post that is pinned to the top of its site: of several, the one that was published last; null without any. */
export async function findPinned(collection: Collection<PostFields>, columns: readonly string[]) {
  const rows = await pinnedRows(collection).select(columns).execute();
  return typedRows<RecordOf<PostFields>>(rows)[0] ?? null;
}

/** The condition is written out, not a value, so that an index of pinned posts alone answers it. */
export const pinnedRows = (collection: Collection<PostFields>) => {
  const conditions = { ...everything, plain: [sql<SqlBool>`featured`] };
  const pinned = listedRows({ collection, audience: 'readers', conditions });
  return inOrder(pinned, orderOf('-published_at')).limit(1);
};
