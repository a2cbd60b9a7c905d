import { html } from 'hono/html';
import type { GateReason } from '../../../shared/contract/resources/access-tier.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import type { Visit } from '../page.ts';
import { offerButtons, recordOfferIn, type ShownOffer } from './offers.ts';
import { lockIcon, nothing, type View, when, withAddress } from './parts.ts';
import { signInPath } from './sign-in.ts';

interface PaywallText {
  title: string;
  text: string;
  /** Text of the sign-in button; missing if signing in does not open the body. */
  signIn?: string;
}

function paywallTexts(
  strings: SiteStrings,
): Record<GateReason, { stranger: PaywallText; member: PaywallText }> {
  const { signInToRead: signIn } = strings;
  const closed = { title: strings.closedTitle, text: strings.closedText };
  return {
    registered_login_required: {
      stranger: { title: strings.freeTitle, text: strings.freeText, signIn },
      member: { title: strings.againTitle, text: strings.againText, signIn: strings.signIn },
    },
    purchase_required: {
      stranger: { title: strings.boughtTitle, text: strings.boughtText, signIn },
      member: { title: strings.boughtTitle, text: strings.notBought },
    },
    subscription_required: {
      stranger: { title: strings.membersTitle, text: strings.membersText, signIn },
      member: { title: strings.membersTitle, text: strings.noMember },
    },
    unknown_access_tier: { stranger: closed, member: closed },
  };
}

/**
 * Returns the excerpt of a body, followed by the paywall text for anonymous readers if it is gated. The result is plain
 * text, for feeds.
 */
export function gatedTeaser(
  strings: SiteStrings,
  { excerpt, gate_reason }: { excerpt: string; gate_reason?: GateReason | undefined },
): string {
  const gate = gate_reason && paywallTexts(strings)[gate_reason].stranger.text;
  return [excerpt, gate].filter(Boolean).join('\n\n');
}

/** Gate reasons for which readers can ask the creator for access. */
const reasons: readonly GateReason[] = ['purchase_required', 'subscription_required'];

/**
 * Renders the notice that is shown instead of a gated body: the offers that open it, or a link to sign in. `email` is
 * the creator's address for requests for access; empty if unknown.
 */
export function paywall(
  visit: Visit,
  reason: GateReason,
  email: string,
  offers: readonly ShownOffer[] = [],
): View {
  const { reader, params, strings } = visit;
  const { title, text, signIn } = paywallTexts(strings)[reason][reader.signedIn ? 'member' : 'stranger'];
  const signInHere = signInPath(`/posts/${params.slug}`);
  if (offers.length > 0)
    return html`<section class="door" aria-labelledby="door-title">${lockIcon(strings)}
<h2 id="door-title">${title}</h2>
<p>${recordOfferIn(offers) ? strings.buyToRead : strings.joinToRead}</p>
${offerButtons(visit, offers)}
${when(signIn, () => html`<p class="meta"><a href="${signInHere}">${strings.boughtAlready}</a></p>`)}
</section>`;
  return html`<section class="door" aria-labelledby="door-title">${lockIcon(strings)}
<h2 id="door-title">${title}</h2>
<p>${text}</p>
${when(signIn, () => html`<p class="links"><a class="button" href="${signInHere}">${signIn}</a></p>`)}
${when(email && reasons.includes(reason), () => html`<p class="meta">${withAddress(strings.askToRead, email)}</p>`)}
</section>`;
}

/**
 * Notice on the page of a course or lesson that is closed to the reader, with the offers that open it, or a link to
 * sign in. Empty for an open course (null) and for an unknown tier.
 */
export function courseDoor(
  visit: Visit,
  reason: GateReason | null,
  offers: readonly ShownOffer[],
  path = `/courses/${visit.params.slug}`,
): View {
  const { reader, strings } = visit;
  if (reason === null || reason === 'unknown_access_tier') return nothing;
  const signInHere = signInPath(path);
  return html`<section class="door" aria-labelledby="door-title">${lockIcon(strings)}
<h2 id="door-title">${paywallTexts(strings)[reason].stranger.title}</h2>
${offerButtons(visit, offers)}
${when(!reader.signedIn, () => (offers.length > 0 ? html`<p class="meta"><a href="${signInHere}">${strings.boughtAlready}</a></p>` : html`<p class="links"><a class="button" href="${signInHere}">${strings.signIn}</a></p>`))}
</section>`;
}
