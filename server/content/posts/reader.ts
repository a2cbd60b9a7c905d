import { type SqlBool, sql } from 'kysely';
import { anyone, type Reader } from '../../../shared/content/gate.ts';
import type { Context } from '../../api/context.ts';
import { t } from '../../api/trpc.ts';
import { findMember } from '../../audience/members/member-session.ts';

/** Purchases of a member that are all known before any post is read. Who has more is asked for the posts at hand. */
const mostListed = 1_000;

type SiteContext = Context & { siteId: string };

/**
 * Who reads posts: the member whose `X-Member-Token` came along, with what they bought; anyone at all for a bad or ended
 * token, which is never an error. Costs no query without a token.
 */
async function readerOf(ctx: SiteContext): Promise<Reader> {
  const member = await findMember(ctx);
  if (!member) return anyone;
  const reader = { signedIn: true, tiers: member.access_tiers, purchases: [] };
  // Their tier opens all that can be bought.
  if (reader.tiers.includes('paid')) return reader;
  const bought = await purchasesOf(ctx, member.email)
    .select('content_id')
    .orderBy('content_id')
    .limit(mostListed + 1)
    .execute();
  if (bought.length > mostListed) return { ...reader, buyer: member.email };
  return { ...reader, purchases: [...new Set(bought.map(({ content_id }) => content_id))] };
}

const purchasesOf = ({ deps, siteId }: Pick<SiteContext, 'deps' | 'siteId'>, email: string) =>
  deps.database.em
    .getKysely()
    .selectFrom('purchases')
    .where('site_id', '=', siteId)
    .where('buyer_email', '=', email)
    .where('content_type', '=', 'posts');

/** Puts the reader into the context, for the gate and for the cache. */
export const withReader = t.procedure.meta({ memberToken: true }).use(async ({ ctx, next }) => {
  const { siteId } = ctx;
  if (siteId === undefined) throw new Error('withReader must follow keyProcedure');
  return next({ ctx: { reader: await readerOf({ ...ctx, siteId }) } });
});

interface Reading extends Pick<SiteContext, 'deps' | 'siteId'> {
  reader: Reader;
}

/** The reader, of whom is known which of these posts they bought. */
export async function readerOfPosts(
  { reader, ...ctx }: Reading,
  posts: readonly { id: string; access_tier: string }[],
): Promise<Reader> {
  const ids = posts.flatMap(({ id, access_tier }) => (access_tier === 'paid' ? [id] : []));
  if (reader.buyer === undefined || ids.length === 0) return reader;
  const bought = purchasesOf(ctx, reader.buyer).where(sql<SqlBool>`content_id = post.id`).limit(1);
  // One post at a time: a join, or `exists`, which becomes one, would read all that they bought.
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::text[]) post (id) where (${bought.select(sql`true`.as('is_bought'))})`.execute(
    ctx.deps.database.em.getKysely(),
  );
  return { ...reader, purchases: rows.map(({ id }) => id) };
}
