import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ErrorCode } from '../../../shared/contract/errors.ts';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { ApiError, found, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import type { Http } from '../../http/send-representation.ts';
import { challengeCookie, keepChallenge, setMemberCookie } from '../cookie.ts';
import type { Visit } from '../page.ts';
import { policyWithFormsTo, stripeOrigins } from '../policy.ts';
import { callsOf } from '../procedures.ts';
import {
  buyerSignInPage,
  buyPage,
  demoBillingPage,
  demoPaymentPage,
  donePage,
  elsewherePage,
  openedPath,
  type RefusedForm,
} from '../views/checkout.ts';
import { unfilled } from '../views/forms.ts';
import { signIn } from '../views/sign-in.ts';
import { beginVisit, visitorContext } from '../visit.ts';
import {
  type Form,
  type FormProblems,
  isBot,
  limitProblemOf,
  problemsOf,
  type Submission,
  sendOnce,
} from './form.ts';
import { sendAccount } from './serve-account.ts';

/** Reloads of the page of a payment that is in progress: seconds between them, and their number. */
const refresh = { seconds: 5, times: 12 };

/**
 * Header of pages with a token in the URL and a form. The URL is not sent to other sites. With `no-referrer`, browsers
 * would send the form with `Origin: null`.
 */
const onlyOwnReferrer = { 'referrer-policy': 'same-origin' };

/** Serves the pages on which visitors buy, and see the outcome of their payment. No page is cached. */
export function serveCheckout(app: FastifyInstance, deps: Deps) {
  const seen = { config: { tier: 'site' } } as const;
  app.get(sitePaths.buy, seen, async (request, reply) => sendOffer(visiting(deps, { request, reply })));
  app.get(sitePaths.payDemo, seen, async (request, reply) =>
    sendDemoPayment(visiting(deps, { request, reply })),
  );
  app.get(sitePaths.bought, seen, async (request, reply) => sendOutcome(visiting(deps, { request, reply })));
  app.get(sitePaths.boughtSignIn, seen, async (request, reply) =>
    sendBuyerSignIn(visiting(deps, { request, reply })),
  );
  app.get(sitePaths.billingDemo, seen, async (request, reply) =>
    sendDemoBilling(visiting(deps, { request, reply })),
  );
  app.get(sitePaths.receipt, { config: { tier: 'normal' } }, async (request, reply) => {
    const { call } = visiting(deps, { request, reply });
    const { url } = await call('visitors.selling.receipt', { id: param(request, 'purchase') });
    return reply.header('cache-control', 'private, no-store').redirect(url, 303);
  });
}

type Visiting = Pick<Submission, 'deps' | 'call' | 'request' | 'reply'>;

const visiting = (deps: Deps, { request, reply }: Http): Visiting => ({
  deps,
  call: callsOf(visitorContext(deps, request)),
  request,
  reply,
});

const visitTo = ({ deps, request }: Visiting) => beginVisit(deps, request, signIn);

/** Sends the page of an offer, with the form that starts its checkout. */
async function sendOffer(visitor: Visiting, refused?: (visit: Visit) => RefusedForm) {
  const { call, request, reply } = visitor;
  const shown = await call('visitors.selling.offer', { id: param(request, 'offer') });
  reply.headers(policyWithFormsTo(stripeOrigins.checkout));
  return sendOnce(reply, await visitTo(visitor), async (visit) => buyPage(visit, shown, refused?.(visit)));
}

export const buyForm: Form = {
  path: sitePaths.buy,
  calls: ['site.checkout.begin'],
  async submit(submission) {
    const { call, request, reply, values } = submission;
    const id = param(request, 'offer');
    if (isBot(values)) return reply.redirect(`/buy/${id}`, 303);
    const { email } = values;
    const { url } = await call('site.checkout.begin', {
      offer_id: id,
      ...(email !== undefined && { email }),
    });
    return leadTo(submission, url, stripeOrigins.checkout);
  },
  again(submission, error) {
    const { reply, values } = submission;
    const { errorCode } = toApiError(error, true);
    if (errorCode === 'provider_refused') reply.code(503);
    return sendOffer(submission, ({ strings }) => {
      const problem = refusalTexts(strings)[errorCode];
      return { problem, filled: { values, problems: problem === undefined ? emailProblemOf(error) : {} } };
    });
  },
};

/** Texts for refused checkouts, without the provider's message. */
const refusalTexts = (strings: SiteStrings): Partial<Record<ErrorCode, string>> => ({
  offer_unavailable: strings.notForSale,
  already_entitled: strings.alreadyYours,
  payments_not_configured: strings.noPayments,
  provider_unavailable: strings.noPayments,
  provider_refused: strings.noPayments,
  rate_limited: strings.problems.often,
});

/** Returns the problems in an error that has no text in `refusalTexts`. Throws errors that concern no field. */
function emailProblemOf(error: unknown): FormProblems {
  // The form of a member has no address, and the session may have ended since.
  return toApiError(error, true).errorCode === 'validation_failed' ? { email: 'email' } : problemsOf(error);
}

/** Sends the payment page of the demo provider. */
async function sendDemoPayment(visitor: Visiting, refusal?: unknown) {
  const { call, request, reply } = visitor;
  const problems = refusal === undefined ? {} : limitProblemOf(refusal);
  const token = param(request, 'token');
  const checkout = await call('visitors.selling.checkout', { token });
  if (!checkout.is_demo) throw new ApiError('not_found');
  if (checkout.state !== 'open') return reply.redirect(`/buy/done/${token}`, 303);
  reply.headers(onlyOwnReferrer);
  return sendOnce(reply, await visitTo(visitor), async (visit) =>
    demoPaymentPage(visit, checkout, token, problems),
  );
}

export const demoPaymentForm: Form = {
  path: sitePaths.payDemo,
  calls: ['visitors.selling.payDemo'],
  async submit({ call, request, reply }) {
    const token = param(request, 'token');
    await call('visitors.selling.payDemo', { token });
    return reply.redirect(`/buy/done/${token}`, 303);
  },
  again: sendDemoPayment,
};

/** Sends the page with the outcome of a payment. */
async function sendOutcome(visitor: Visiting) {
  const { call, request, reply } = visitor;
  const token = param(request, 'token');
  const time = Number(/^\d{1,2}$/.exec(textsOf(request.query).time ?? '')?.[0] ?? 0);
  if (time === 0) await call('visitors.selling.awaitPayment', { token });
  const checkout = await call('visitors.selling.checkout', { token });
  const isWaiting = ['opening', 'open', 'paying'].includes(checkout.state);
  if (isWaiting && time < refresh.times)
    reply.header('refresh', `${refresh.seconds}; url=/buy/done/${token}?time=${time + 1}`);
  reply.header('referrer-policy', 'no-referrer');
  return sendOnce(reply, await visitTo(visitor), async (visit) =>
    donePage(visit, checkout, { token, isLast: time >= refresh.times }),
  );
}

/** Sends the page on which a buyer signs in with the email address of the sale. */
async function sendBuyerSignIn(visitor: Visiting, filled = unfilled, isCodeSent = false) {
  const { call, request, reply } = visitor;
  const token = param(request, 'token');
  const checkout = await call('visitors.selling.checkout', { token });
  reply.headers(onlyOwnReferrer);
  return sendOnce(reply, await visitTo(visitor), async (visit) =>
    buyerSignInPage(visit, checkout, { token, filled, isCodeSent }),
  );
}

export const buyerSignInForm: Form = {
  path: sitePaths.boughtSignIn,
  calls: ['site.members.requestCode', 'site.members.signIn'],
  async submit(submission) {
    const { deps, call, request, reply, values } = submission;
    const checkout = await call('visitors.selling.checkout', { token: param(request, 'token') });
    const { email } = checkout;
    const { code } = values;
    if (code === undefined) {
      const challenge = keepChallenge(request, reply, deps.randomBytes);
      await call('site.members.requestCode', { email, challenge });
      return sendBuyerSignIn(submission, unfilled, true);
    }
    const session = await call('site.members.signIn', {
      email,
      code: code.replace(/\s/g, ''),
      challenge: challengeCookie(request),
    });
    setMemberCookie(request, reply, session.token);
    return reply.redirect(openedPath(checkout), 303);
  },
  again(submission, error) {
    const { values } = submission;
    return sendBuyerSignIn(submission, { values, problems: problemsOf(error) }, values.code !== undefined);
  },
};

/** Form on `/account` that opens the page on which a member manages a membership. */
export const billingForm: Form = {
  path: sitePaths.billing,
  calls: ['site.billing.open'],
  async submit(submission) {
    const { call, values } = submission;
    const { url } = await call('site.billing.open', { membership_id: values.membership_id ?? '' });
    return leadTo(submission, url, stripeOrigins.billing);
  },
  again: sendAccount,
};

/** Sends the page that ends a demo membership. */
async function sendDemoBilling(visitor: Visiting, refusal?: unknown) {
  const { call, request, reply } = visitor;
  const problems = refusal === undefined ? {} : limitProblemOf(refusal);
  const { memberships } = await call('visitors.selling.holdings');
  const id = param(request, 'membership');
  const own = found(memberships.find((one) => one.id === id && one.provider === 'demo'));
  return sendOnce(reply, await visitTo(visitor), async (visit) => demoBillingPage(visit, own, problems));
}

export const demoBillingForm: Form = {
  path: sitePaths.billingDemo,
  calls: ['visitors.selling.endDemo'],
  async submit({ call, request, reply }) {
    await call('visitors.selling.endDemo', { id: param(request, 'membership') });
    return reply.redirect(sitePaths.account, 303);
  },
  again: sendDemoBilling,
};

/**
 * Redirects a form to a page of this site, or to `allowed`, the only other origin in the page's policy. For further
 * origins, such as custom domains of Stripe's pages, it sends a page with a link. The redirect to this site is a path:
 * the visitor's cookie belongs to the requested host, which may be another domain of the site.
 */
async function leadTo(submission: Submission, url: string, allowed: string) {
  const { reply } = submission;
  const visit = await visitTo(submission);
  if (url.startsWith(`${visit.origin}/`)) return reply.redirect(url.slice(visit.origin.length), 303);
  if (new URL(url).origin === allowed) return reply.redirect(url, 303);
  return sendOnce(reply, visit, async (shown) =>
    elsewherePage(shown, url, allowed === stripeOrigins.checkout),
  );
}

const param = ({ params }: FastifyRequest, name: string): string => textsOf(params)[name] ?? '';
