import { RecordId, SlugAddress } from '../../../shared/contract/record-id.ts';
import { resources } from '../../../shared/contract/resources/index.ts';
import type { Context } from '../../kernel/context.ts';
import type { RestProcedure } from '../../kernel/procedures.ts';

const values = { id: RecordId, slug: SlugAddress };

/**
 * Of a procedure that reads the record which its path names: has it fetched while it is asked who calls, from the site that
 * the key was of before. Undefined for all others.
 */
export function prefetchFor({ type, meta: { cached, openapi } }: RestProcedure) {
  const resource = Object.values(resources).find(({ collection }) => collection === cached);
  const column = (['id', 'slug'] as const).find((name) => openapi.path.endsWith(`/${cached}/{${name}}`));
  if (type !== 'query' || !resource || !column) return undefined;
  return (ctx: Context, params: Readonly<Record<string, string>>) => {
    const { deps, admission } = ctx;
    const value = values[column].safeParse(params[column]).data;
    const siteId = deps.siteOfKey(ctx);
    // A request that was admitted earlier does not wait for its key.
    if (admission || value === undefined || siteId === undefined) return;
    const question = { siteId, resource, column, value };
    const found = deps.findRecord(question);
    // Who is refused doesn't wait for it.
    found.catch(() => {});
    ctx.prefetched = { ...question, found };
  };
}
