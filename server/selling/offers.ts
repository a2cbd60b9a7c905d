import type { InferEntity } from '@mikro-orm/core';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { z } from 'zod';
import { priceProblem } from '../../shared/contract/currencies.ts';
import {
  type CreateOffer,
  type ListOffers,
  membershipTiers,
  Offer,
  offerLimits,
  type UpdateOffer,
} from '../../shared/contract/features/offers.ts';
import { namesOf, omitUndefined } from '../../shared/contract/names-of.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { Timestamp } from '../../shared/contract/timestamps.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { OfferEntity } from '../../shared/db/entities/offers.ts';
import { Site } from '../../shared/db/entities/site.ts';
import { findSoldRecords } from '../../shared/selling/sold-records.ts';
import { ApiError } from '../api/api-error.ts';
import type { StoreDeps } from '../api/deps.ts';
import { inTransaction, lockRow, nextUpdated, type SiteWrite } from '../api/transaction.ts';

const offers = ({ database }: Pick<StoreDeps, 'database'>, siteId: string) =>
  database.em.getKysely().selectFrom('offers').select(namesOf(Offer)).where('site_id', '=', siteId);

/** Lists the offers of a site by `sort_order` and id. */
export async function listOffers(
  deps: Pick<StoreDeps, 'database'>,
  siteId: string,
  { page, per_page, active }: z.output<typeof ListOffers>,
) {
  const all = await offers(deps, siteId)
    .$if(active !== undefined, (query) => query.where('active', '=', active === true))
    .orderBy('sort_order')
    .orderBy('id')
    .limit(offerLimits.perSite)
    .execute();
  const first = (page - 1) * per_page;
  return { items: all.slice(first, first + per_page), page, per_page, total: all.length };
}

/** Finds an offer of a site; null if it does not exist. */
export const findOffer = async (deps: Pick<StoreDeps, 'database'>, siteId: string, id: string) => {
  const offer = offers(deps, siteId).select(isRecordForSale.as('is_for_sale')).where('id', '=', id);
  return (await offer.executeTakeFirst()) ?? null;
};

/**
 * SQL condition: readers find the record of an offer and have to pay for it; the lessons of a course are published. It always holds for
 * a membership.
 */
export const isRecordForSale = sql<boolean>`(offers.kind = 'membership'
  or exists (select from posts r where offers.collection = 'posts' and r.site_id = offers.site_id and r.id = offers.record_id
    and r.is_public and r.access_tier = 'paid')
  or exists (select from courses r where offers.collection = 'courses' and r.site_id = offers.site_id and r.id = offers.record_id
    and r.is_public and r.access_tier = 'paid' and r.lessons_published))`;

const activeOffers = (deps: Pick<StoreDeps, 'database'>, siteId: string, where: RawBuilder<SqlBool>) =>
  offers(deps, siteId)
    .where('active', '=', true)
    .where(isRecordForSale)
    .where(where)
    .orderBy('sort_order')
    .orderBy('id')
    .execute();

/**
 * Lists the active offers that open a record with this access tier: offers of the record, and memberships with the
 * tier.
 */
export const listOffersThatOpen = (
  deps: Pick<StoreDeps, 'database'>,
  siteId: string,
  collection: string,
  { id, access_tier: tier }: { id: string; access_tier: string },
) =>
  activeOffers(
    deps,
    siteId,
    sql`(${tier} = any(tiers) or ${tier} = 'paid' and collection = ${collection} and record_id = ${id})`,
  );

/** Lists the active offers of all records of a collection. */
export const listRecordOffers = (deps: Pick<StoreDeps, 'database'>, siteId: string, collection: string) =>
  activeOffers(deps, siteId, sql`collection = ${collection}`);

export const listMembershipOffers = (deps: Pick<StoreDeps, 'database'>, siteId: string) =>
  activeOffers(deps, siteId, sql`kind = 'membership'`);

/**
 * Creates an offer. Throws `validation_failed` for a record that readers cannot buy or that has an active offer, and beyond the
 * limit of a site.
 */
export function createOffer({ deps, siteId }: SiteWrite, input: z.output<typeof CreateOffer>) {
  return inTransaction(deps, siteId, async (em) => {
    // Concurrent creates wait here, so that none of them exceeds the maximum number of offers.
    await lockRow(em, Site, { id: siteId });
    if ((await em.count(OfferEntity, { site_id: siteId })) >= offerLimits.perSite)
      throw new ApiError('validation_failed', `title: a site has at most ${offerLimits.perSite} offers`);
    const { collection = null, record_id = null, tiers, trial_days = null, ...values } = input;
    const isOnce = values.interval === 'once';
    const created = new Timestamp(deps.clock.now());
    const row = {
      ...values,
      ...{ id: newRecordId(created, deps.randomBytes), site_id: siteId, created, updated: created },
      ...{ kind: isOnce ? ('record' as const) : ('membership' as const), collection, record_id, trial_days },
      tiers: isOnce ? [] : (tiers ?? [...membershipTiers]),
    };
    if (isOnce) await requireSellable(em, row);
    em.persist(em.create(OfferEntity, row));
    return { id: row.id, created };
  });
}

/** Changes an offer. Throws `not_found`, `precondition_failed` and as a create does. */
export async function updateOffer(write: SiteWrite, { id, ...input }: z.output<typeof UpdateOffer>) {
  const { deps, siteId } = write;
  await inTransaction(deps, siteId, async (em) => {
    await lockRow(em, Site, { id: siteId });
    const row = await lockRow(em, OfferEntity, { site_id: siteId, id });
    const updated = nextUpdated(row, write);
    const changes = omitUndefined(input);
    if (Object.keys(changes).length === 0) return;
    const isOnce = row.interval === 'once';
    for (const name of ['tiers', 'trial_days'] as const)
      if (isOnce && changes[name])
        throw new ApiError('validation_failed', `${name}: is not allowed if \`interval\` is \`once\``);
    const problem = changes.amount === undefined ? null : priceProblem(changes.amount, row.currency);
    if (problem) throw new ApiError('validation_failed', `amount: ${problem}`);
    if (isOnce && changes.active && !row.active) await requireSellable(em, row);
    // Buyers see the title at Stripe: the next checkout creates a product with the new one.
    em.assign(row, { ...changes, ...(changes.title !== undefined && { product_ref: null }), updated });
  });
}

type SoldOffer = Pick<InferEntity<typeof OfferEntity>, 'site_id' | 'id' | 'collection' | 'record_id'>;

/**
 * Throws `validation_failed` unless readers can find the record, have to pay for it, and no other active offer sells it. A course also
 * needs `lessons_published`.
 */
async function requireSellable(em: Transaction, { site_id, id, collection, record_id }: SoldOffer) {
  const table = collection === 'courses' ? 'courses' : 'posts';
  const isReady = table === 'courses' ? sql`lessons_published` : sql`true`;
  const { rows } = await sql<{ access_tier: string; is_public: boolean; is_ready: boolean }>`
    select access_tier, is_public, ${isReady} as is_ready from ${sql.table(table)}
    where site_id = ${site_id} and id = ${record_id}`.execute(em.getKysely());
  const [record] = rows;
  const refuse = (message: string) => {
    throw new ApiError('validation_failed', `record_id: ${message}`);
  };
  if (!record) refuse('no such record');
  if (!record?.is_public) refuse('must be a published, public record');
  if (record?.access_tier !== 'paid') refuse('must have the access tier `paid`');
  if (!record?.is_ready) refuse('must be a course whose lessons are published');
  const others = { site_id, collection, record_id, interval: 'once', active: true, id: { $ne: id } } as const;
  if ((await em.count(OfferEntity, others as object)) > 0)
    refuse('has an active offer already: change that one, or deactivate it');
}

/** Title of the record of an offer, and its path where visitors see it; null for a membership, and for a record that is gone. */
export async function findRecordOf(
  deps: Pick<StoreDeps, 'database'>,
  siteId: string,
  { collection, record_id }: Pick<Offer, 'collection' | 'record_id'>,
): Promise<{ title: string; path: string | null } | null> {
  if (collection === null || record_id === null) return null;
  const [record] = await findSoldRecords(deps, siteId, collection, [record_id]);
  return record ? { title: record.title, path: record.path } : null;
}
