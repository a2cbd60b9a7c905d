import { html } from 'hono/html';
import type { GateReason } from '../../../shared/contract/resources/access-tier.ts';
import { priceText } from '../../../shared/i18n/price.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { datesAt } from './dates.ts';
import { inOneDirection, nothing, outLink, type View, when } from './parts.ts';

export type ShownOffer = OutputOf<'visitors.offers'>['data'][number];

/** Collections that pages with offers depend on. */
export const offerCollections = ['offers', 'payment_connections'];

export const buyPath = (offer: { id: string }) => `/buy/${offer.id}`;

/** Returns the price of an offer in the site's language, such as `€49` or `€5 a month`. */
export const priceOf = (
  { site, strings }: Pick<Visit, 'site' | 'strings'>,
  offer: Pick<ShownOffer, 'amount' | 'currency' | 'interval'>,
) => priceText(strings, offer, site.language);

/** `€5 a month, €50 a year` */
const pricesOf = (visit: Visit, offers: readonly ShownOffer[]) =>
  new Intl.ListFormat(visit.site.language, { type: 'unit', style: 'short' }).format(
    offers.map((offer) => priceOf(visit, offer)),
  );

/**
 * Returns the offers that open a record to a reader. Empty if it is open (`reason` is null or undefined), or if no offer
 * opens it.
 */
export async function offersThatOpen(
  { read }: Visit,
  collection: 'posts' | 'courses',
  id: string,
  reason: GateReason | null | undefined,
): Promise<readonly ShownOffer[]> {
  const tier = reason && soldTiers[reason];
  return tier ? (await read('visitors.offers', { collection, record: { id, access_tier: tier } })).data : [];
}

/** Tiers that purchases or memberships open, by the reason why a record is closed. */
const soldTiers: Partial<Record<GateReason, string>> = {
  purchase_required: 'paid',
  subscription_required: 'members',
};

export const recordOfferIn = (offers: readonly ShownOffer[]) => offers.find(({ kind }) => kind === 'record');

/**
 * Renders link buttons to the offers that open a record; empty if there are none. All memberships share one, whose page has
 * the choice.
 */
export function offerButtons(visit: Visit, offers: readonly ShownOffer[]): View {
  const { strings } = visit;
  const record = recordOfferIn(offers);
  const memberships = offers.filter(({ kind }) => kind === 'membership');
  const [membership] = memberships;
  if (!record && !membership) return nothing;
  const trial = membership?.trial_days;
  return html`<div class="offers"><p class="links">${when(
    record,
    () =>
      html`<a class="button" href="${record && buyPath(record)}">${strings.buyFor(record ? priceOf(visit, record) : '')}</a>`,
  )}${when(
    membership,
    () =>
      html`<a class="button${record ? ' second' : ''}" href="${membership && buyPath(membership)}">${strings.joinFor(pricesOf(visit, memberships))}</a>`,
  )}</p>
${when(trial, () => html`<p class="meta">${inOneDirection(datesAt(visit).count(strings.daysFree, trial ?? 0))}</p>`)}
${saleTerms(visit)}</div>`;
}

/** Renders the site's note beside its buy buttons, and the link to its terms; empty if it has neither. */
export function saleTerms({ site: { selling }, strings }: Visit): View {
  const { note, terms_url } = selling;
  return when(
    note || terms_url,
    () =>
      html`<p class="meta">${note}${when(note && terms_url, () => html` `)}${outLink(terms_url, strings.terms)}</p>`,
  );
}
