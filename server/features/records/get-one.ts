import type { Fields } from '../../../shared/contract/fields.ts';
import type { RecordOf, Resource } from '../../../shared/contract/resource.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { found } from '../../kernel/api-error.ts';
import type { AnswerNotes, Context } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { typedRow } from './collection.ts';
import { including } from './included.ts';

/** A public record as readers get it; its revision goes into the tag of the answer. Throws `not_found`. */
export async function getOne<F extends Fields>(
  ctx: RecordReader & { deps: Deps; answer: AnswerNotes },
  resource: Resource<F>,
  { include, ...by }: ({ id: string } | { slug: string }) & { include?: Include | undefined },
) {
  const { revision, record } = found(await findOne(ctx, resource, by));
  ctx.answer.revision = revision;
  const [shown] = await including(ctx, [record], include);
  return found(shown);
}

/** The record with this id or slug, with its revision and all that can be included; null when there is none, or none that is public. */
export async function findOne<F extends Fields>(
  { deps, siteId, collectionState, prefetched }: RecordReader,
  resource: Resource<F>,
  by: { id: string } | { slug: string },
) {
  const [column, value] = 'id' in by ? (['id', by.id] as const) : (['slug', by.slug] as const);
  const isIt =
    prefetched?.siteId === siteId &&
    prefetched.resource.collection === resource.collection &&
    prefetched.column === column &&
    prefetched.value === value;
  const early = isIt ? await prefetched.found : null;
  const found =
    early && early.version === collectionState?.version
      ? early
      : await deps.findRecord({ siteId, resource, column, value });
  return found && { revision: found.revision, record: typedRow<RecordOf<F>>(found.record) };
}

/** What a call knows that is about one record of a site. */
export interface RecordReader extends Pick<Context, 'collectionState' | 'prefetched'> {
  deps: Pick<Deps, 'findRecord'>;
  siteId: string;
}
