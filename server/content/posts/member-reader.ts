import { sql } from 'kysely';
import { anyone, type GatedCollection, type Reader } from '../../../shared/content/gate.ts';
import { hasBought, readerWith } from '../../../shared/selling/entitlements.ts';
import type { Context } from '../../api/context.ts';
import { t } from '../../api/trpc.ts';
import { findMember } from '../../audience/members/member-session.ts';

type SiteContext = Context & { siteId: string };

/**
 * Returns the reader of a request: the member whose `X-Member-Token` it has, with their entitlements, otherwise
 * `anyone`. An invalid or expired token counts as none. A request without a token costs no query.
 */
async function readerOf(ctx: SiteContext): Promise<Reader> {
  const member = await findMember(ctx);
  return member ? readerWith(member) : anyone;
}

/** Puts the reader into the context, for the gate and for the cache. */
export const withReader = t.procedure.meta({ memberToken: true }).use(async ({ ctx, next }) => {
  const { siteId } = ctx;
  if (siteId === undefined) throw new Error('withReader must follow keyProcedure');
  return next({ ctx: { reader: await readerOf({ ...ctx, siteId }) } });
});

interface ReaderLookup extends Pick<SiteContext, 'deps' | 'siteId'> {
  reader: Reader;
}

/**
 * Returns a reader with too many purchases to list with only those that are among `records`. Returns every other reader
 * unchanged, without a query.
 */
export async function readerOfRecords(
  { reader, deps, siteId }: ReaderLookup,
  collection: GatedCollection,
  records: readonly { id: string; access_tier: string }[],
): Promise<Reader> {
  const ids = records.flatMap(({ id, access_tier }) => (isSold(access_tier) ? [id] : []));
  if (reader.buyer === undefined || ids.length === 0) return reader;
  const buyer = { siteId, email: reader.buyer, countsTest: deps.config.countsTest };
  const { rows } = await sql<{ id: string }>`
    select id from unnest(${ids}::text[]) one (id)
    where ${hasBought(buyer, { collection, id: sql`one.id` })}`.execute(deps.database.em.getKysely());
  return { ...reader, purchases: rows.map(({ id }) => `${collection}/${id}`) };
}

/** True if a purchase can open records of a tier to a signed-in reader. */
const isSold = (tier: string) => tier === 'paid' || tier === 'members';
