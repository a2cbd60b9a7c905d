import type { Fields } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import { found } from '../../kernel/api-error.ts';
import type { AnswerNotes } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { findOne } from './reads.ts';

/** A public record as readers get it; its revision goes into the tag of the answer. Throws `not_found`. */
export async function getOne<F extends Fields>(
  ctx: { deps: Pick<Deps, 'findRecord'>; siteId: string; answer: AnswerNotes },
  resource: Resource<F>,
  by: { id: string } | { slug: string },
) {
  const { revision, record } = found(await findOne(ctx, resource, by));
  ctx.answer.revision = revision;
  return record;
}
