import { setTimeout as delay } from 'node:timers/promises';
import type { InferEntity } from '@mikro-orm/core';
import type { Stripe } from 'stripe';
import { toMinorUnits } from '../../shared/contract/currencies.ts';
import type { Offer, SellingSettings } from '../../shared/contract/features/offers.ts';
import { CheckoutEntity, OfferEntity } from '../../shared/db/entities/offers.ts';
import { siteStrings } from '../../shared/i18n/site-strings.ts';
import { wakePayments } from '../../shared/selling/connection.ts';
import { endSession } from '../../shared/selling/sync-objects.ts';
import { ApiError, found } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { inTransaction } from '../api/transaction.ts';
import { foldScope } from './connection.ts';
import { type ActiveConnection, callStripe } from './sellers.ts';

export type Checkout = InferEntity<typeof CheckoutEntity>;

export interface CheckoutUrls {
  success_url: string;
  cancel_url: string;
}

/** Languages of Stripe's payment pages. */
const locales: ReadonlySet<string> = new Set(
  `bg cs da de el en en-GB es es-419 et fi fil fr fr-CA hr hu id it ja ko lt lv ms mt nb nl pl pt pt-BR ro ru sk sl sv th tr vi zh zh-HK
  zh-TW`.split(/\s+/),
);

const isLocale = (tag: string): tag is Stripe.Checkout.SessionCreateParams.Locale => locales.has(tag);

const localeOf = (language: string) => [language, language.split('-', 1)[0] ?? ''].find(isLocale) ?? 'auto';

/** Longest text that Stripe shows beside its button, in characters. */
const maxNote = 1_200;

function noteOf({ note, terms_url }: SellingSettings, language: string): string {
  const whole = [note, terms_url && `${siteStrings(language).terms}: ${terms_url}`].filter(Boolean).join(' ');
  return whole.length > maxNote ? note : whole;
}

/** Parameters of the payment page of a checkout, which are stored and sent unchanged whenever the page is requested. */
export function sessionParameters(
  checkout: Pick<Checkout, 'id' | 'email' | 'amount' | 'currency' | 'trial_days' | 'expires_at'>,
  offer: Pick<Offer, 'id' | 'interval'>,
  site: { id: string; language: string; selling: SellingSettings },
  { automatic_tax, promotion_codes }: Pick<ActiveConnection, 'automatic_tax' | 'promotion_codes'>,
  { product, ...urls }: CheckoutUrls & { product: string },
): Stripe.Checkout.SessionCreateParams {
  const { id, email, amount, currency, trial_days, expires_at } = checkout;
  const metadata = { site: site.id, checkout: id, offer: offer.id };
  const message = noteOf(site.selling, site.language);
  const { interval } = offer;
  const price = {
    ...{ currency: currency.toLowerCase(), unit_amount: toMinorUnits(amount, currency), product },
    tax_behavior: 'inclusive' as const,
  };
  const shared = {
    ...{ client_reference_id: id, metadata, customer_email: email, locale: localeOf(site.language) },
    ...{ adaptive_pricing: { enabled: false }, automatic_tax: { enabled: automatic_tax } },
    ...{ allow_promotion_codes: promotion_codes, expires_at: Math.floor(expires_at.getTime() / 1_000) },
    ...(message && { custom_text: { submit: { message } } }),
    ...urls,
  };
  if (interval === 'once')
    return {
      ...{ ...shared, mode: 'payment', line_items: [{ quantity: 1, price_data: price }] },
      payment_intent_data: { metadata, receipt_email: email },
    };
  return {
    ...{ ...shared, mode: 'subscription', payment_method_collection: 'always' },
    line_items: [{ quantity: 1, price_data: { ...price, recurring: { interval } } }],
    subscription_data: { metadata, ...(trial_days && { trial_period_days: trial_days }) },
  };
}

/**
 * Product of an active offer at Stripe, created for its first checkout and after its title changed. Null for other offers. Throws as
 * `callStripe` does.
 */
export async function ensureProduct(
  deps: Deps,
  connection: ActiveConnection,
  id: string,
): Promise<string | null> {
  const { site_id } = connection;
  const offer = await deps.database.em.fork().findOne(OfferEntity, { site_id, id });
  if (!offer?.active) return null;
  const { title, updated, product_ref } = offer;
  if (product_ref) return product_ref;
  const product = await callStripe(deps, connection, ({ products }) =>
    products.create(
      { name: title, metadata: { site: site_id, offer: id } },
      { idempotencyKey: `${id}-${updated.getTime()}` },
    ),
  );
  await inTransaction(deps, site_id, (em) =>
    em.nativeUpdate(OfferEntity, { site_id, id, title }, { product_ref: product.id }),
  );
  return product.id;
}

/**
 * Retries while Stripe carries out the same request of another tab: their maximum number, and the time before each in
 * milliseconds.
 */
const waits = { max: 20, ms: 250 };

/**
 * Creates the payment page of a checkout that is `opening`, and returns its URL. Requests with the same attempt get the same page,
 * however often they are sent. If the checkout expired during the call, it ends the page and returns null: no buyer receives the URL of a
 * page whose payment would not be noticed. Throws as `callStripe` does; a refused checkout becomes `expired`.
 */
export async function openSession(
  deps: Deps,
  connection: ActiveConnection,
  checkout: string,
): Promise<string | null> {
  const { site_id } = connection;
  // The checkout is read from the database, which changes the order of its parameters: equal requests must have the
  // same order.
  const row = await getCheckout(deps, site_id, { id: checkout });
  const { id, parameters, attempt } = row;
  for (let wait = 0; ; wait++) {
    try {
      const session = await callStripe(deps, connection, (stripe) =>
        stripe.checkout.sessions.create(parameters, { idempotencyKey: `${id}-${attempt}` }),
      );
      const { url } = session;
      const now = deps.clock.now();
      const opened = { state: 'open', session_ref: session.id, url, updated: now } as const;
      const stored = await inTransaction(deps, site_id, async (em) => {
        await wakePayments(em, site_id, now);
        await em.nativeUpdate(CheckoutEntity, { site_id, id, state: 'opening' }, opened);
        return em.findOne(CheckoutEntity, { site_id, id });
      });
      if (stored && stored.state !== 'expired') return url ?? '';
      await endCheckout(deps, connection, { id, session_ref: session.id });
      return null;
    } catch (error) {
      if (statusOf(error) !== 409 || wait >= waits.max) {
        await noteFailure(deps, row, error);
        throw error;
      }
      await delay(waits.ms);
    }
  }
}

/** Checkout by its id, or by the token of its return URL. Throws `not_found`. */
export const getCheckout = async (
  { database }: Pick<Deps, 'database'>,
  site_id: string,
  by: { id: string } | { token: string },
) => found(await database.em.fork().findOne(CheckoutEntity, { site_id, ...by }));

/** Returns Stripe's code of a refusal, such as `resource_missing`; null if it has none. */
const codeOf = (error: unknown): unknown =>
  error instanceof ApiError && error.cause instanceof Error && 'code' in error.cause
    ? error.cause.code
    : null;

/** True if Stripe does not know an object that a request names. */
export const isMissing = (error: unknown): boolean => codeOf(error) === 'resource_missing';

/** Returns the HTTP status of the response from Stripe; 0 if there was no response. */
const statusOf = (error: unknown): number =>
  error instanceof ApiError && error.cause instanceof Error && 'statusCode' in error.cause
    ? Number(error.cause.statusCode ?? 0)
    : 0;

/**
 * Stores that an attempt failed. Stripe repeats an answer 500 for the same idempotency key, so the next attempt needs
 * another one. A refused checkout expires.
 */
async function noteFailure(
  deps: Deps,
  { site_id, id, offer_id, attempt }: Checkout,
  error: unknown,
): Promise<void> {
  if (!(error instanceof ApiError)) return;
  const isOver = error.errorCode !== 'provider_unavailable';
  if (!isOver && statusOf(error) < 500) return;
  // Buyers see no reason, and Stripe's message may contain their address.
  if (error.errorCode === 'provider_refused')
    deps.logger.warn({ site_id, checkout_id: id, code: codeOf(error) }, 'Stripe refused a payment page');
  await inTransaction(deps, site_id, async (em) => {
    const changes = isOver ? { state: 'expired' as const } : { attempt: attempt + 1 };
    const opening = { site_id, id, state: 'opening', attempt } as const;
    await em.nativeUpdate(CheckoutEntity, opening, { ...changes, updated: deps.clock.now() });
    // The product was deleted at Stripe: the next checkout creates it again.
    if (isMissing(error))
      await em.nativeUpdate(OfferEntity, { site_id, id: offer_id }, { product_ref: null });
  });
}

/**
 * Ends the payment page of a checkout, so that it cannot be paid any more. A payment that was made already is recorded. Throws as
 * `callStripe` does.
 */
export async function endCheckout(
  deps: Deps,
  connection: ActiveConnection,
  { id, session_ref }: Pick<Checkout, 'id' | 'session_ref'>,
): Promise<void> {
  const { site_id } = connection;
  const scope = { ...foldScope(deps, site_id), connection };
  if (session_ref)
    await callStripe(deps, connection, (stripe) => endSession({ ...scope, stripe }, session_ref));
  // If the session was paid, the checkout has another state now, and this changes nothing.
  const waiting = { site_id, id, state: { $in: ['opening', 'open'] } } as const;
  await scope.transact((em) =>
    em.nativeUpdate(CheckoutEntity, waiting, { state: 'expired', updated: deps.clock.now() }),
  );
}
