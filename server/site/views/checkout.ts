import { html } from 'hono/html';
import { renewalOf } from '../../../shared/contract/audience/membership.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { collectionStateOf } from '../../api/access/site-of-host.ts';
import type { FormProblems } from '../forms/form.ts';
import type { Visit } from '../page.ts';
import type { OutputOf } from '../procedures.ts';
import { datesAt } from './dates.ts';
import { emailField, type FormValues, field, formProblem, honeypot, unfilled } from './forms.ts';
import type { PageContent } from './layout.ts';
import { buyPath, priceOf, saleTerms } from './offers.ts';
import { each, inOneDirection, joined, middot, type View, when, withAddress } from './parts.ts';
import { signInPath } from './sign-in.ts';

type OfferPage = OutputOf<'visitors.selling.offer'>;
type Checkout = OutputOf<'visitors.selling.checkout'>;
type Holdings = OutputOf<'visitors.selling.holdings'>;
type OwnMembership = Holdings['memberships'][number];

const page = (title: string, main: View): PageContent => ({
  title,
  path: sitePaths.home,
  kind: 'form',
  hidden: true,
  main,
});

/**
 * Returns the path of what an offer opens: its record, or the account page for a membership, which lists what the member
 * can read.
 */
export const openedPath = ({ record, offer }: Pick<OfferPage, 'record' | 'offer'>) =>
  offer.kind === 'membership' ? sitePaths.account : (record?.path ?? sitePaths.account);

const button = (path: string, label: string): View =>
  html`<p class="links"><a class="button" href="${path}">${label}</a></p>`;

/** Form of an offer that was refused: its values, and the text for a problem of no field. */
export interface RefusedForm {
  problem?: string | undefined;
  filled: FormValues;
}

/** `/buy/{offer}`: title, price, and the form that leads to the payment. */
export function buyPage(
  visit: Visit,
  shown: OfferPage,
  { problem, filled }: RefusedForm = { filled: unfilled },
): PageContent {
  const { strings } = visit;
  const { offer, state, email } = shown;
  const trial = offer.trial_days;
  return page(
    offer.title,
    html`<div class="opening"><h1>${offer.title}</h1>${when(!hasChoice(shown), () => html`<p class="lead price">${priceOf(visit, offer)}</p>`)}
${when(trial, () => html`<p class="meta">${inOneDirection(datesAt(visit).count(strings.daysFree, trial ?? 0))}</p>`)}
${choice(visit, shown)}</div>
${when(problem, () => html`<p class="note" role="alert">${problem}</p>`)}
${
  state === 'sells'
    ? html`<form method="post" action="${buyPath(offer)}">
${email === null ? emailField(strings, filled, strings.buyerAddress) : html`<p>${strings.signedInAs(email)}</p>`}
${honeypot(strings)}<p><button type="submit">${strings.toPayment}</button></p>
${saleTerms(visit)}
${when(email === null, () => html`<p class="meta"><a href="${signInPath(openedPath(shown))}">${strings.boughtAlready}</a></p>`)}
</form>`
    : html`${when(!problem, () => html`<p class="note">${closedText(strings, state)}</p>`)}
${when(state === 'entitled', () => button(openedPath(shown), strings.openNow))}`
}`,
  );
}

const closedText = (strings: SiteStrings, state: Exclude<OfferPage['state'], 'sells'>) =>
  ({ off: strings.noPayments, unavailable: strings.notForSale, entitled: strings.alreadyYours })[state];

const hasChoice = ({ offer, memberships }: OfferPage) =>
  offer.kind === 'membership' && memberships.length > 1;

/** Links to all memberships, if there are several. */
const choice = (visit: Visit, shown: OfferPage): View =>
  when(
    hasChoice(shown),
    () =>
      html`<ul class="choice" role="list">${each(
        shown.memberships,
        (other) =>
          html`<li><a href="${buyPath(other)}"${when(other.id === shown.offer.id, () => html` aria-current="page"`)}>${priceOf(visit, other)}</a></li>`,
      )}</ul>`,
  );

/**
 * Returns the payment page of the demo provider, where no money moves. `amount` is in main units of `currency`, such as
 * 49.5 for €49.50. `trial_days` is null without a trial. The form is sent to `/buy/demo/{token}`.
 */
export function demoPaymentPage(
  visit: Visit,
  { offer, email, amount, currency, trial_days }: Checkout,
  token: string,
  problems: FormProblems,
): PageContent {
  const { strings } = visit;
  return page(
    strings.demoPayment,
    html`<div class="opening"><h1>${strings.demoPayment}</h1><p class="lead">${strings.demoPaymentLead}</p></div>
${formProblem(strings, { problems })}
<form method="post" action="/buy/demo/${token}"><dl class="facts"><dt>${offer.title}</dt><dd>${joined([
      priceOf(visit, { ...offer, amount, currency }),
      trial_days !== null && datesAt(visit).count(strings.daysFree, trial_days),
    ])}</dd><dt>${strings.emailAddress}</dt><dd>${email}</dd></dl>
<p class="links"><button type="submit">${strings.pretendToPay}</button><a href="${buyPath(offer)}">${strings.goBack}</a></p></form>`,
  );
}

/** `g…@example.com`: the URL of a checkout does not reveal its address. */
const maskedEmail = (email: string) => `${email.slice(0, 1)}…${email.slice(email.lastIndexOf('@'))}`;

/** `/buy/done/{token}`: outcome of a payment. */
export function donePage(
  { strings }: Visit,
  checkout: Checkout,
  { token, isLast }: { token: string; isLast: boolean },
): PageContent {
  const { offer, state, email, is_signed_in } = checkout;
  const opening = (title: string, lead: string) =>
    html`<div class="opening"><h1>${title}</h1><p class="lead">${lead}</p></div>`;
  if (state === 'paid')
    return page(
      strings.thankYou,
      html`${opening(strings.thankYou, offer.kind === 'membership' ? strings.joined : strings.bought(offer.title))}
${is_signed_in ? button(openedPath(checkout), offer.kind === 'membership' ? strings.yourAccount : strings.openNow) : button(`/buy/done/${token}/sign-in`, strings.signInAs(maskedEmail(email)))}`,
    );
  if (state === 'failed' || state === 'expired')
    return page(
      strings.checkoutOver,
      html`${opening(strings.checkoutOver, strings.checkoutOverLead)}${button(buyPath(offer), strings.startAgain)}`,
    );
  const lead = isLast || state === 'paying' ? strings.payingLead : strings.onItsWayLead;
  return page(strings.onItsWay, opening(strings.onItsWay, lead));
}

/** Link to a page of Stripe on a domain that browsers do not redirect the form to. */
export function elsewherePage({ strings }: Visit, url: string, isPayment: boolean): PageContent {
  const { host } = new URL(url);
  const title = isPayment ? strings.toPayment : strings.manageMembership;
  return page(
    title,
    html`<div class="opening"><h1>${title}</h1><p class="lead">${isPayment ? strings.paymentAt(host) : host}</p></div>
${button(url, title)}`,
  );
}

/** `/buy/done/{token}/sign-in`: sends a code to the address of a sale, then takes it, without showing the address. */
export function buyerSignInPage(
  { strings }: Visit,
  { email }: Checkout,
  { token, filled, isCodeSent }: { token: string; filled: FormValues; isCodeSent: boolean },
): PageContent {
  const masked = maskedEmail(email);
  const [title, lead] = isCodeSent
    ? [strings.checkMail, strings.checkMailLead(masked)]
    : [strings.signIn, strings.codeTo(masked)];
  return page(
    title,
    html`<div class="opening"><h1>${title}</h1><p class="lead">${lead}</p></div>
<form method="post" action="/buy/done/${token}/sign-in">
${formProblem(strings, filled)}
${
  isCodeSent
    ? html`${field({ ...filled, strings, name: 'code', label: strings.signInCode, autocomplete: 'one-time-code', inputmode: 'numeric', required: true, maxlength: 12 })}
<p><button type="submit">${strings.signIn}</button></p>`
    : html`<p><button type="submit">${strings.sendCode}</button></p>`
}</form>`,
  );
}

/** Page of the demo provider on which a member ends a membership. */
export const demoBillingPage = (
  { strings }: Visit,
  { id, title }: OwnMembership,
  problems: FormProblems,
): PageContent =>
  page(
    strings.cancelMembership,
    html`<div class="opening"><p class="eyebrow">${title ?? strings.membership}</p><h1>${strings.cancelMembership}</h1><p class="lead">${strings.cancelMembershipLead}</p></div>
${formProblem(strings, { problems })}
<form method="post" action="/account/billing/demo/${id}"><p class="links"><button type="submit">${strings.cancelMembership}</button><a href="${sitePaths.account}">${strings.goBack}</a></p></form>`,
  );

/**
 * Renders the member's purchases and memberships as terms of the list on `/account`. `contact` is the creator's address,
 * for people who bought with another one. Empty if there is nothing to show.
 */
export function holdingsFacts(visit: Visit, { purchases, memberships }: Holdings, contact: string): View {
  const { strings, site } = visit;
  const elsewhere = when(
    contact,
    () => html`<p class="meta">${withAddress(strings.boughtElsewhere, contact)}</p>`,
  );
  const isEmpty = purchases.length + memberships.length === 0;
  return html`${when(
    isEmpty && contact && collectionStateOf(site, 'offers').public_count > 0,
    () => html`<dt>${strings.purchases}</dt><dd>${strings.nothingYet}${elsewhere}</dd>`,
  )}${when(
    memberships.length > 0,
    () =>
      html`<dt>${strings.membership}</dt><dd><ul class="holdings" role="list">${each(memberships, (one) => membershipItem(visit, one))}</ul>${purchases.length > 0 ? '' : elsewhere}</dd>`,
  )}${when(
    purchases.length > 0,
    () =>
      html`<dt>${strings.purchases}</dt><dd><ul class="holdings" role="list">${each(purchases, (one) => purchaseItem(visit, one))}</ul>${elsewhere}</dd>`,
  )}`;
}

function membershipItem(visit: Visit, membership: OwnMembership): View {
  const { strings } = visit;
  const { id, title, amount, currency, interval, state, provider } = membership;
  const price = amount !== null && currency && interval && priceOf(visit, { amount, currency, interval });
  const isOver = state === 'ended';
  return html`<li>${title ?? strings.membership}<p class="meta">${joined([price, membershipStatus(visit, membership)])}</p>
${when(
  (provider === 'demo' || provider === 'stripe') && !isOver,
  () =>
    html`<form method="post" action="${sitePaths.billing}"><button type="submit" name="membership_id" value="${id}" class="quiet">${strings.manageMembership}</button></form>`,
)}</li>`;
}

function membershipStatus(visit: Visit, membership: OwnMembership): string {
  const { strings } = visit;
  const { state, blocked, cancel_at, interval } = membership;
  const day = (date: Date) => datesAt(visit).day(date);
  if (state === 'ended') return strings.ended;
  if (blocked) return strings.closedByRefund;
  if (state === 'past_due') return strings.paymentFailed;
  if (cancel_at) return strings.endsOn(day(cancel_at));
  const renewal = day(renewalOf(membership));
  if (state === 'trialing') return strings.freeUntil(renewal);
  return interval ? strings.renewsOn(renewal) : strings.openUntil(renewal);
}

function purchaseItem(
  visit: Visit,
  { id, record, amount, currency, state, created, has_receipt }: Holdings['purchases'][number],
): View {
  const { strings } = visit;
  const title = record?.title ?? strings.notFound;
  return html`<li>${record?.path ? html`<a href="${record.path}">${title}</a>` : title}<p class="meta">${joined(
    [
      datesAt(visit).day(created),
      priceOf(visit, { amount, currency, interval: 'once' }),
      state !== 'paid' && strings.purchaseStates[state],
    ],
  )}${when(has_receipt, () => html`${middot}<a href="/account/receipts/${id}">${strings.receipt}</a>`)}</p></li>`;
}
