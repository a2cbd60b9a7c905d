import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { ApiError, found, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import { countStrictly } from '../../http/limit-by-address.ts';
import { challengeCookie, keepChallenge, setMemberCookie } from '../cookie.ts';
import type { Visit } from '../page.ts';
import { policyWithFormsTo, stripeOrigins } from '../policy.ts';
import { type CallByName, callsOf } from '../procedures.ts';
import {
  buyerSignInPage,
  buyPage,
  demoBillingPage,
  demoPaymentPage,
  donePage,
  elsewherePage,
  openedPath,
} from '../views/checkout.ts';
import { signIn } from '../views/sign-in.ts';
import { beginVisit, visitorContext } from '../visit.ts';
import { type FormProblems, isBot, problemsOf, requireOwnOrigin } from './form.ts';
import { sendOnce } from './serve-forms.ts';

const maxFormBytes = 4_096;

/** Reloads of the page of a payment that is in progress: seconds between them, and their number. */
const refresh = { seconds: 5, times: 12 };

/**
 * Header of pages with a token in the URL and a form. The URL is not sent to other sites. With `no-referrer`, browsers
 * would send the form with `Origin: null`.
 */
const onlyOwnReferrer = { 'referrer-policy': 'same-origin' };

/**
 * Serves the pages on which visitors buy, see the outcome of their payment, and manage a membership. No page is cached.
 */
export async function serveCheckout(app: FastifyInstance, deps: Deps) {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit: maxFormBytes });
  const visits = {
    callFor: (request: FastifyRequest) => callsOf(visitorContext(deps, request)),
    visitTo: (request: FastifyRequest) => beginVisit(deps, request, signIn),
  };
  serveBuying(app, deps, visits);
  serveDone(app, visits);
  serveBuyerSignIn(app, deps, visits);
  serveBilling(app, visits);
}

interface Visits {
  callFor(request: FastifyRequest): CallByName;
  visitTo(request: FastifyRequest): Promise<Visit>;
}

const seen = { config: { tier: 'site' } } as const;
const sent = { config: { tier: 'strict' } } as const;
/** Route options of forms that require a checkout or session. Starting those is counted in a stricter tier. */
const followed = { config: { tier: 'normal' } } as const;

/** Serves the page of an offer, and the form that starts its checkout. */
function serveBuying(app: FastifyInstance, deps: Deps, { callFor, visitTo }: Visits) {
  app.get(sitePaths.buy, seen, async (request, reply) => {
    const shown = await callFor(request)('visitors.selling.offer', { id: param(request, 'offer') });
    reply.headers(policyWithFormsTo(stripeOrigins.checkout));
    return sendOnce(reply, await visitTo(request), async (visit) => buyPage(visit, shown));
  });

  app.post(sitePaths.buy, seen, async (request, reply) => {
    requireOwnOrigin(request);
    const id = param(request, 'offer');
    const values = textsOf(request.body);
    const call = callFor(request);
    if (isBot(values)) return reply.redirect(`/buy/${id}`, 303);
    const email = values.email?.trim();
    try {
      await countStrictly(deps, request);
      const { url } = await call('site.checkout.begin', {
        offer_id: id,
        ...(email !== undefined && { email }),
      });
      return leadTo(reply, await visitTo(request), url, stripeOrigins.checkout);
    } catch (error) {
      const shown = await call('visitors.selling.offer', { id });
      const visit = await visitTo(request);
      const refusal = refusalOf(error, visit.strings);
      reply.code(refusal.status).headers(policyWithFormsTo(stripeOrigins.checkout));
      if (refusal.retryAfter) reply.header('retry-after', refusal.retryAfter);
      const filled = { values, problems: refusal.problems };
      return sendOnce(reply, visit, async () => buyPage(visit, shown, { problem: refusal.text, filled }));
    }
  });
}

/** Serves the payment page of the demo provider, and the page with the outcome of a payment. */
function serveDone(app: FastifyInstance, { callFor, visitTo }: Visits) {
  app.get(sitePaths.payDemo, seen, async (request, reply) => {
    const token = param(request, 'token');
    const checkout = await callFor(request)('visitors.selling.checkout', { token });
    if (!checkout.is_demo) throw new ApiError('not_found');
    if (checkout.state !== 'open') return reply.redirect(`/buy/done/${token}`, 303);
    reply.headers(onlyOwnReferrer);
    return sendOnce(reply, await visitTo(request), async (visit) => demoPaymentPage(visit, checkout, token));
  });

  app.post(sitePaths.payDemo, followed, async (request, reply) => {
    requireOwnOrigin(request);
    const token = param(request, 'token');
    await callFor(request)('visitors.selling.payDemo', { token });
    return reply.redirect(`/buy/done/${token}`, 303);
  });

  app.get(sitePaths.bought, seen, async (request, reply) => {
    const token = param(request, 'token');
    const call = callFor(request);
    const time = Number(/^\d{1,2}$/.exec(textsOf(request.query).time ?? '')?.[0] ?? 0);
    if (time === 0) await call('visitors.selling.awaitPayment', { token });
    const checkout = await call('visitors.selling.checkout', { token });
    const isWaiting = ['opening', 'open', 'paying'].includes(checkout.state);
    if (isWaiting && time < refresh.times)
      reply.header('refresh', `${refresh.seconds}; url=/buy/done/${token}?time=${time + 1}`);
    reply.header('referrer-policy', 'no-referrer');
    return sendOnce(reply, await visitTo(request), async (visit) =>
      donePage(visit, checkout, { token, isLast: time >= refresh.times }),
    );
  });
}

/** Serves the pages on which a buyer signs in with the email address of the sale. */
function serveBuyerSignIn(app: FastifyInstance, deps: Deps, { callFor, visitTo }: Visits) {
  app.get(sitePaths.boughtSignIn, seen, async (request, reply) => {
    const token = param(request, 'token');
    const checkout = await callFor(request)('visitors.selling.checkout', { token });
    reply.headers(onlyOwnReferrer);
    return sendOnce(reply, await visitTo(request), async (visit) =>
      buyerSignInPage(visit, checkout, token, null),
    );
  });

  app.post(sitePaths.boughtSignIn, seen, async (request, reply) => {
    requireOwnOrigin(request);
    const token = param(request, 'token');
    const call = callFor(request);
    const checkout = await call('visitors.selling.checkout', { token });
    const { email } = checkout;
    const { code } = textsOf(request.body);
    let problems: FormProblems = {};
    try {
      await countStrictly(deps, request);
      if (code === undefined)
        await call('site.members.requestCode', {
          email,
          challenge: keepChallenge(request, reply, deps.randomBytes),
        });
      else {
        const challenge = challengeCookie(request);
        const session = await call('site.members.signIn', {
          email,
          code: code.replace(/\s/g, ''),
          challenge,
        });
        setMemberCookie(request, reply, session.token);
        return reply.redirect(openedPath(checkout), 303);
      }
    } catch (error) {
      problems = problemsOf(error);
      reply.code(problems.form ? 429 : 400);
    }
    reply.headers(onlyOwnReferrer);
    return sendOnce(reply, await visitTo(request), async (visit) =>
      buyerSignInPage(visit, checkout, token, { values: {}, problems }),
    );
  });
}

/** Serves the membership form of `/account`, links to receipts, and the page that ends a demo membership. */
function serveBilling(app: FastifyInstance, { callFor, visitTo }: Visits) {
  app.post(sitePaths.billing, sent, async (request, reply) => {
    requireOwnOrigin(request);
    const { membership_id = '' } = textsOf(request.body);
    const { url } = await callFor(request)('site.billing.open', { membership_id });
    return leadTo(reply, await visitTo(request), url, stripeOrigins.billing);
  });

  app.get(sitePaths.receipt, followed, async (request, reply) => {
    const { url } = await callFor(request)('visitors.selling.receipt', { id: param(request, 'purchase') });
    return reply.header('cache-control', 'private, no-store').redirect(url, 303);
  });

  app.get(sitePaths.billingDemo, seen, async (request, reply) => {
    const { memberships } = await callFor(request)('visitors.selling.holdings');
    const id = param(request, 'membership');
    const own = found(memberships.find((one) => one.id === id && one.provider === 'demo'));
    return sendOnce(reply, await visitTo(request), async (visit) => demoBillingPage(visit, own));
  });

  app.post(sitePaths.billingDemo, followed, async (request, reply) => {
    requireOwnOrigin(request);
    await callFor(request)('visitors.selling.endDemo', { id: param(request, 'membership') });
    return reply.redirect(sitePaths.account, 303);
  });
}

/**
 * Redirects a form to a page of this site, or to `allowed`, the only other origin in the page's policy. For further
 * origins, such as custom domains of Stripe's pages, it sends a page with a link. The redirect to this site is a path:
 * the visitor's cookie belongs to the requested host, which may be another domain of the site.
 */
function leadTo(reply: FastifyReply, visit: Visit, url: string, allowed: string) {
  if (url.startsWith(`${visit.origin}/`)) return reply.redirect(url.slice(visit.origin.length), 303);
  if (new URL(url).origin === allowed) return reply.redirect(url, 303);
  return sendOnce(reply, visit, async (shown) =>
    elsewherePage(shown, url, allowed === stripeOrigins.checkout),
  );
}

const param = ({ params }: FastifyRequest, name: string): string => textsOf(params)[name] ?? '';

interface Refusal {
  status: number;
  text?: string;
  problems: FormProblems;
  /** Seconds until a retry may succeed, for `Retry-After`. */
  retryAfter?: number | undefined;
}

/**
 * Returns the status and text for a refused checkout, without the provider's message. Throws errors for which the page
 * has no text.
 */
function refusalOf(error: unknown, strings: SiteStrings): Refusal {
  const { errorCode, status, retryAfter } = toApiError(error, true);
  const texts: Partial<Record<typeof errorCode, string>> = {
    offer_unavailable: strings.notForSale,
    already_entitled: strings.alreadyYours,
    payments_not_configured: strings.noPayments,
    provider_unavailable: strings.noPayments,
    provider_refused: strings.noPayments,
    rate_limited: strings.problems.often,
  };
  const text = texts[errorCode];
  const shown = errorCode === 'provider_refused' ? 503 : status;
  if (text !== undefined) return { status: shown, text, problems: {}, retryAfter };
  // The form of a member has no address, and the session may have ended since.
  if (errorCode === 'validation_failed') return { status: 400, problems: { email: 'email' } };
  return { status: 400, problems: problemsOf(error) };
}
