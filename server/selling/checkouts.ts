import { sql } from 'kysely';
import { mailboxOf } from '../../shared/contract/email.ts';
import { type Offer, offerLimits } from '../../shared/contract/features/offers.ts';
import { Timestamp } from '../../shared/contract/moments.ts';
import { base62, newRecordId, randomText } from '../../shared/contract/record-id.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { CheckoutEntity, OfferEntity } from '../../shared/db/entities/offers.ts';
import { entitlementsOf, hasBought } from '../../shared/selling/entitlements.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps, StoreDeps } from '../api/deps.ts';
import { inTransaction, lockRow } from '../api/transaction.ts';
import { isRecordForSale } from './offers.ts';

// A checkout is `open` while its buyer can pay: for 45 minutes. Paying makes it `paid`; time, or another checkout of the offer by the
// same mailbox with another address or price, makes it `expired`.

const openMinutes = 45;

interface Buyer {
  email: string;
  /** True if the address is the member's who is signed in: only members learn what an address has. */
  isMember: boolean;
}

/**
 * Starts a checkout of an offer, or returns the open one with the same address, price and trial. Throws `validation_failed` for an
 * unknown offer, `offer_unavailable`, `already_entitled` and `rate_limited`.
 */
export function beginCheckout(
  { deps, siteId }: { deps: Deps; siteId: string },
  offerId: string,
  { email, isMember }: Buyer,
  urlOf: (token: string) => string,
) {
  return inTransaction(deps, siteId, async (em) => {
    // The second of two tabs waits here and finds the checkout of the first.
    const offer = await lockRow(em, OfferEntity, { site_id: siteId, id: offerId }).catch(refuseUnknown);
    const now = deps.clock.now();
    await requireForSale(em, offer);
    if (isMember && (await isEntitled(deps, offer, email))) throw new ApiError('already_entitled');
    const mailbox = mailboxOf(email);
    const state = { $in: ['opening' as const, 'open' as const] };
    const earlier = await em.findOne(CheckoutEntity, { site_id: siteId, offer_id: offerId, mailbox, state });
    const trial_days =
      offer.trial_days && !(await hadTrial(em, siteId, mailbox, earlier?.id)) ? offer.trial_days : null;
    const { amount, currency } = offer;
    if (earlier && earlier.expires_at > now && earlier.email === email && earlier.url) {
      const isSame = earlier.amount === amount && earlier.currency === currency;
      if (isSame && (earlier.trial_days ?? null) === (trial_days ?? null))
        return { id: earlier.id, url: earlier.url, expires_at: earlier.expires_at };
    }
    if (earlier) {
      em.assign(earlier, { state: 'expired', updated: now });
      await em.flush();
    } else if (!isMember) await requireRoom(em, siteId, now);
    const token = randomText(base62, 22, deps.randomBytes);
    const expires_at = new Timestamp(now.getTime() + openMinutes * 60_000);
    const row = {
      ...{ site_id: siteId, id: newRecordId(now, deps.randomBytes), token, offer_id: offerId, email },
      ...{ amount, currency, trial_days, parameters: {}, attempt: 1, url: urlOf(token) },
      ...{ state: 'open' as const, expires_at, created: now, updated: now },
    };
    await em.persist(em.create(CheckoutEntity, row)).flush();
    return { id: row.id, url: row.url, expires_at };
  });
}

function refuseUnknown(error: unknown): never {
  if (error instanceof ApiError && error.errorCode === 'not_found')
    throw new ApiError('validation_failed', 'offer_id: no such offer', { cause: error });
  throw error;
}

interface SoldOffer extends Pick<Offer, 'id' | 'kind' | 'active'> {
  site_id: string;
  collection?: Offer['collection'] | undefined;
  record_id?: string | null | undefined;
}

/** Throws `offer_unavailable` for an inactive offer and one whose record is hidden or open to others than buyers. */
async function requireForSale(em: Transaction, { site_id, id, active }: SoldOffer) {
  const { rows } =
    await sql`select from offers where site_id = ${site_id} and id = ${id} and ${isRecordForSale}`.execute(
      em.getKysely(),
    );
  if (!active || rows.length === 0) throw new ApiError('offer_unavailable');
}

/** Returns true if a record is open to the address, its membership has not ended, or a payment is in progress. */
export async function isEntitled(
  deps: Pick<Deps, 'clock' | 'config' | 'database'>,
  { site_id: siteId, id, kind, collection, record_id }: SoldOffer,
  email: string,
): Promise<boolean> {
  const { countsTest } = deps.config;
  const mailbox = mailboxOf(email);
  const own = { siteId, email, countsTest };
  const open = entitlementsOf({ ...own, at: deps.clock.now() });
  const isOpen =
    kind === 'record' && collection && record_id
      ? sql`(select 'paid' = any(tiers) from ${open}) or ${hasBought(own, { collection, id: record_id })}`
      : sql`exists (select from memberships where site_id = ${siteId} and mailbox = ${mailbox} and state <> 'ended')`;
  const { rows } = await sql<{ is_entitled: boolean }>`
    select ${isOpen} or exists (
      select from checkouts where site_id = ${siteId} and offer_id = ${id} and mailbox = ${mailbox} and state = 'paying'
    ) as is_entitled`.execute(deps.database.em.getKysely());
  return rows[0]?.is_entitled ?? false;
}

/** Returns true if the mailbox has had a trial, or has one in another open checkout. */
async function hadTrial(em: Transaction, siteId: string, mailbox: string, except = '') {
  const { rows } = await sql<{ had_trial: boolean }>`
    select exists (
      select from memberships where site_id = ${siteId} and mailbox = ${mailbox} and trial_used
    ) or exists (
      select from checkouts where site_id = ${siteId} and mailbox = ${mailbox} and state in ('opening', 'open', 'paying')
        and trial_days is not null and id <> ${except}
    ) as had_trial`.execute(em.getKysely());
  return rows[0]?.had_trial ?? false;
}

/** Throws `rate_limited` if too many checkouts of the site are open. */
async function requireRoom(em: Transaction, siteId: string, now: Date) {
  const state = { $in: ['opening' as const, 'open' as const] };
  const open = await em.count(CheckoutEntity, { site_id: siteId, state, expires_at: { $gt: now } });
  if (open >= offerLimits.openCheckouts)
    throw new ApiError('rate_limited', 'too many open checkouts; try again later', { retryAfter: 60 });
}

/** Checkout of a return URL. Throws `not_found`. */
export async function getCheckout({ database }: Pick<StoreDeps, 'database'>, siteId: string, token: string) {
  const rows = database.em.getKysely().selectFrom('checkouts').selectAll();
  return found(await rows.where('site_id', '=', siteId).where('token', '=', token).executeTakeFirst());
}
