import type { Fields } from '../../../shared/contract/fields.ts';
import type { Resource } from '../../../shared/contract/resource.ts';
import type { Context } from '../../kernel/context.ts';
import type { StoreDeps } from '../../kernel/deps.ts';

/** The records of one resource on one site: what reads and writes work on. */
export interface Collection<F extends Fields = Fields> {
  deps: StoreDeps;
  siteId: string;
  resource: Resource<F>;
  /** How many of its records can be read, when the caller's key lookup has told. */
  publicCount?: number | undefined;
}

/** The collection of `resource` on the site that the caller's credential belongs to. */
export const collectionOf = <F extends Fields>(
  ctx: Pick<Context, 'collection'> & { deps: StoreDeps; siteId: string },
  resource: Resource<F>,
): Collection<F> => ({
  deps: ctx.deps,
  siteId: ctx.siteId,
  resource,
  publicCount: ctx.collection?.public_count,
});
