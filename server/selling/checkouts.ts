import type { InferEntity } from '@mikro-orm/core';
import { sql } from 'kysely';
import { mailboxOf } from '../../shared/contract/email.ts';
import { offerLimits } from '../../shared/contract/features/offers.ts';
import { base62, newRecordId, randomText } from '../../shared/contract/record-id.ts';
import { ownOriginOf } from '../../shared/contract/site-paths.ts';
import { Timestamp } from '../../shared/contract/timestamps.ts';
import { locks } from '../../shared/db/advisory-lock.ts';
import { hasValues } from '../../shared/db/changes-of.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { CheckoutEntity, type CheckoutState, OfferEntity } from '../../shared/db/entities/offers.ts';
import { entitlementsOf, hasBought, isOver } from '../../shared/selling/entitlements.ts';
import { openingMinutes } from '../../shared/selling/fold.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction, lockRow } from '../api/transaction.ts';
import { isRecordForSale } from './offers.ts';
import { type ActiveConnection, findSeller, requireTestBuyer } from './sellers.ts';
import {
  type Checkout,
  type CheckoutUrls,
  endCheckout,
  ensureProduct,
  getCheckout,
  openSession,
  sessionParameters,
} from './stripe-checkout.ts';

// A checkout moves through these states:
//
//   opening ──Stripe has made its payment page──▶ open ──completed──▶ paying ──the bank confirmed it──▶ paid, or failed
//
// A card skips `paying`. An open checkout becomes `expired` after 45 minutes, or through another checkout of the offer
// by the same mailbox with another address, price or URL. One that is `opening` for 10 minutes becomes `expired` too. The demo provider
// skips `opening`. The row is committed before Stripe is called, and no transaction is open during a call.

const openMinutes = 45;

interface Buyer {
  email: string;
  /**
   * A member who is signed in, a program with a key, or a visitor. Visitors do not learn what an email address has
   * bought.
   */
  kind: 'member' | 'key' | 'visitor';
}

/**
 * Maximum number of attempts to begin a checkout. Another attempt follows after a conflicting checkout was ended, or if
 * the connection was replaced.
 */
const maxRounds = 4;

/**
 * Starts a checkout of an offer, or returns the open one with the same address, price, trial and URLs, with `isNew` false. `urls` are
 * those of a caller's own pages; null for the pages of the site. Throws `validation_failed` for an unknown offer, `offer_unavailable`,
 * `already_entitled`, `rate_limited`, `payments_not_configured`, `provider_unavailable` and `provider_refused`.
 */
export async function beginCheckout(
  { deps, siteId, host }: { deps: Deps; siteId: string; host: string },
  offerId: string,
  buyer: Buyer,
  urls: CheckoutUrls | null,
) {
  const site = await getSite(deps, siteId);
  for (let round = 0; round < maxRounds; round++) {
    const seller = await findSeller(deps, site, host);
    if (!seller) throw new ApiError('payments_not_configured');
    const connection = seller.kind === 'stripe' ? seller.connection : null;
    if (connection) await requireTestBuyer(deps, connection, buyer.email);
    const product = connection && (await ensureProduct(deps, connection, offerId));
    const decision = await inTransaction(deps, siteId, (em) =>
      decide(em, { deps, site, connection, product, urls }, offerId, buyer),
    );
    if (!decision) continue;
    const { row, next, isNew } = decision;
    const { id, expires_at } = row;
    if (!connection || next === 'return') return { id, url: row.url ?? '', expires_at, isNew };
    if (next === 'open') {
      const url = await openSession(deps, connection, id);
      if (url === null) continue;
      return { id, url, expires_at, isNew };
    }
    // The payment page is known only after the request for it was answered.
    if (row.state === 'opening') await openSession(deps, connection, id);
    await endCheckout(deps, connection, await getCheckout(deps, siteId, { id }));
  }
  throw new ApiError('provider_unavailable', undefined, { retryAfter: 1 });
}

/** Site with the origin of its pages. Throws `not_found`. */
export async function getSite({ database, config }: Pick<Deps, 'database' | 'config'>, id: string) {
  const sites = database.em.getKysely().selectFrom('sites').selectAll();
  const site = found(await sites.where('id', '=', id).executeTakeFirst());
  return { ...site, origin: ownOriginOf(site, config) ?? config.publicUrl.origin };
}

interface Decision {
  /** `return` an open checkout, `open` one at Stripe, or `end` an older one at Stripe first. */
  next: 'return' | 'open' | 'end';
  row: Checkout;
  isNew: boolean;
}

/** Returns null if the connection was replaced since it was read. */
async function decide(
  em: Transaction,
  scope: {
    deps: Deps;
    site: Awaited<ReturnType<typeof getSite>>;
    connection: ActiveConnection | null;
    product: string | null;
    urls: CheckoutUrls | null;
  },
  offerId: string,
  { email, kind }: Buyer,
): Promise<Decision | null> {
  const { deps, site, connection, product } = scope;
  const siteId = site.id;
  if (connection && !(await holdConnection(em, connection))) return null;
  // The second of two tabs waits here and finds the checkout of the first.
  const offer = await lockRow(em, OfferEntity, { site_id: siteId, id: offerId }).catch(refuseUnknown);
  const now = deps.clock.now();
  await requireForSale(em, offer);
  if (kind !== 'visitor' && (await isEntitled(deps, offer, email))) throw new ApiError('already_entitled');
  const mailbox = mailboxOf(email);
  const state = { $in: ['opening' as const, 'open' as const] };
  const earlier = await em.findOne(CheckoutEntity, { site_id: siteId, offer_id: offerId, mailbox, state });
  const isTrial = offer.trial_days && !(await hadTrial(em, siteId, mailbox, earlier?.id));
  const { amount, currency } = offer;
  const wanted = { email, amount, currency, trial_days: isTrial ? (offer.trial_days ?? null) : null };
  const urlsOf = (token: string) =>
    scope.urls ?? {
      success_url: `${site.origin}/buy/done/${token}`,
      cancel_url: `${site.origin}/buy/${offerId}`,
    };
  if (earlier) {
    const isSame = hasValues({ ...earlier.parameters, ...earlier }, { ...wanted, ...urlsOf(earlier.token) });
    const isOpening = earlier.state === 'opening' && minutesAfter(earlier.created, openingMinutes) > now;
    if (isSame && isOpening) return { next: 'open', row: earlier, isNew: false };
    if (isSame && earlier.state === 'open' && earlier.expires_at > now)
      return { next: 'return', row: earlier, isNew: false };
    if (connection && (earlier.session_ref || isOpening)) return { next: 'end', row: earlier, isNew: false };
    em.assign(earlier, { state: 'expired', updated: now });
    await em.flush();
  } else if (kind !== 'member') await requireRoom(em, siteId, now);
  const token = randomText(base62, 22, deps.randomBytes);
  const sold = {
    ...wanted,
    id: newRecordId(now, deps.randomBytes),
    expires_at: minutesAfter(now, openMinutes),
  };
  const parameters =
    connection && product
      ? sessionParameters(sold, offer, site, connection, { ...urlsOf(token), product })
      : urlsOf(token);
  const row = em.create(CheckoutEntity, {
    ...{ ...sold, site_id: siteId, token, offer_id: offerId, parameters, attempt: 1 },
    ...(connection
      ? { state: 'opening', url: null }
      : { state: 'open', url: `${site.origin}/buy/demo/${token}` }),
    ...{ created: now, updated: now },
  });
  await em.persist(row).flush();
  return { next: connection ? 'open' : 'return', row, isNew: true };
}

/**
 * Keeps a connection from being deleted until the transaction ends. Its deletion expires the checkouts that are stored before, so each
 * checkout belongs to the connected account. Returns false if it was deleted.
 */
async function holdConnection(em: Transaction, { site_id, id }: ActiveConnection): Promise<boolean> {
  const { rows } = await sql`
    select from payment_connections where site_id = ${site_id} and id = ${id} for key share`.execute(
    em.getKysely(),
  );
  return rows.length > 0;
}

const minutesAfter = (time: Date, minutes: number) => new Timestamp(time.getTime() + minutes * 60_000);

function refuseUnknown(error: unknown): never {
  if (error instanceof ApiError && error.errorCode === 'not_found')
    throw new ApiError('validation_failed', 'offer_id: no such offer', { cause: error });
  throw error;
}

type SoldOffer = Pick<
  InferEntity<typeof OfferEntity>,
  'site_id' | 'id' | 'kind' | 'active' | 'collection' | 'record_id'
>;

/** Throws `offer_unavailable` for an inactive offer and one whose record is hidden or open to others than buyers. */
async function requireForSale(em: Transaction, { site_id, id, active }: SoldOffer) {
  const { rows } =
    await sql`select from offers where site_id = ${site_id} and id = ${id} and ${isRecordForSale}`.execute(
      em.getKysely(),
    );
  if (!active || rows.length === 0) throw new ApiError('offer_unavailable');
}

/** Returns true if a record is open to the address, its membership is not over, or a payment is in progress. */
export async function isEntitled(
  deps: Pick<Deps, 'clock' | 'config' | 'database'>,
  { site_id: siteId, id, kind, collection, record_id }: SoldOffer,
  email: string,
): Promise<boolean> {
  const { countsTest } = deps.config;
  const mailbox = mailboxOf(email);
  const own = { siteId, email, countsTest };
  const now = deps.clock.now();
  const open = entitlementsOf({ ...own, at: now });
  const isOpen =
    kind === 'record' && collection && record_id
      ? sql`(select 'paid' = any(tiers) from ${open}) or ${hasBought(own, { collection, id: record_id })}`
      : sql`exists (select from memberships m where m.site_id = ${siteId} and m.mailbox = ${mailbox} and not ${isOver(now)}
          and (m.livemode or ${countsTest} or m.provider <> 'demo' and works_on(m.site_id, ${email})))`;
  const { rows } = await sql<{ is_entitled: boolean }>`
    select ${isOpen} or exists (
      select from checkouts where site_id = ${siteId} and offer_id = ${id} and mailbox = ${mailbox} and state = 'paying'
    ) as is_entitled`.execute(deps.database.em.getKysely());
  return rows[0]?.is_entitled ?? false;
}

/**
 * Returns true if the mailbox has had a trial, or has one in another open checkout. Locks the trial of the mailbox until the
 * transaction ends, because two tabs can begin checkouts of two offers.
 */
async function hadTrial(em: Transaction, siteId: string, mailbox: string, except = '') {
  await sql`select pg_advisory_xact_lock(${locks.trial}::integer, hashtext(${`${siteId} ${mailbox}`}))`.execute(
    em.getKysely(),
  );
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

/**
 * State of a checkout for its buyer. A late one is `expired` before its row is. One at Stripe stays `open`, because it may have been paid
 * in time.
 */
export function shownState({ state, session_ref, created, expires_at }: Checkout, now: Date): CheckoutState {
  const isLate =
    (state === 'open' && !session_ref && expires_at <= now) ||
    (state === 'opening' && minutesAfter(created, openingMinutes) <= now);
  return isLate ? 'expired' : state;
}
