import type { Fields } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { Include } from '../../../shared/contract/sharing.ts';
import { found } from '../../kernel/api-error.ts';
import type { AnswerNotes } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { including } from './included.ts';
import { findOne } from './reads.ts';

/** A public record as readers get it; its revision goes into the tag of the answer. Throws `not_found`. */
export async function getOne<F extends Fields>(
  ctx: { deps: Deps; siteId: string; answer: AnswerNotes },
  resource: Resource<F>,
  { include, ...by }: ({ id: string } | { slug: string }) & { include?: Include | undefined },
) {
  const { revision, record } = found(await findOne(ctx, resource, by));
  ctx.answer.revision = revision;
  const [shown] = await including(ctx, [record], include);
  return found(shown);
}
