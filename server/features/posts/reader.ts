import { anyone, type Reader } from '../../kernel/callers.ts';
import type { Context } from '../../kernel/context.ts';
import { t } from '../../kernel/trpc.ts';
import { findMember } from '../members/member-session.ts';

/**
 * Who reads posts: the member whose `X-Member-Token` came along, with what they bought; anyone at all for a bad or ended
 * token, which is never an error. Costs no query without a token.
 */
async function readerOf(ctx: Context & { siteId: string }): Promise<Reader> {
  const member = await findMember(ctx);
  if (!member) return anyone;
  const rows = await ctx.deps.database.em
    .getKysely()
    .selectFrom('purchases')
    .select('content_id')
    .where('site_id', '=', ctx.siteId)
    .where('buyer_email', '=', member.email)
    .where('content_type', '=', 'posts')
    .execute();
  return {
    signedIn: true,
    tiers: member.access_tiers,
    purchases: rows.map(({ content_id }) => content_id).sort(),
  };
}

/** Puts the reader into the context, for the gate and for the cache. */
export const withReader = t.procedure.meta({ memberToken: true }).use(async ({ ctx, next }) => {
  const { siteId } = ctx;
  if (siteId === undefined) throw new Error('withReader stands behind keyProcedure');
  return next({ ctx: { reader: await readerOf({ ...ctx, siteId }) } });
});
