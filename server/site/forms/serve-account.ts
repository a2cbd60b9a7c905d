import type { FastifyInstance } from 'fastify';
import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import type { Http } from '../../http/send-representation.ts';
import {
  challengeCookie,
  clearMemberCookie,
  keepChallenge,
  memberCookie,
  setMemberCookie,
} from '../cookie.ts';
import { ownPath } from '../local-path.ts';
import { policyWithFormsTo, stripeOrigins } from '../policy.ts';
import { callsOf } from '../procedures.ts';
import { holdingsFacts } from '../views/checkout.ts';
import { coursesFacts } from '../views/learning.ts';
import { newsletter, newsletterWith } from '../views/newsletter.ts';
import { account, addressForm, codeForm, signIn } from '../views/sign-in.ts';
import { beginVisit, visitorContext } from '../visit.ts';
import { type Form, isBot, limitProblemOf, type PageForm, sendOnce } from './form.ts';

/** Serves the page `/account`, which is never cached. */
export function serveAccount(app: FastifyInstance, deps: Deps) {
  app.get(sitePaths.account, { config: { tier: 'site' } }, async (request, reply) =>
    sendAccount({ deps, request, reply }),
  );
}

/**
 * Sends the account of the member, with a text if the rate limit refused a form of it. Throws other refusals. Visitors who are
 * not signed in are redirected to sign in.
 */
export async function sendAccount({ deps, request, reply }: Http & { deps: Deps }, refusal?: unknown) {
  const problems = refusal === undefined ? {} : limitProblemOf(refusal);
  const visit = await beginVisit(deps, request, signIn);
  const { member } = await visit.read('visitors.member');
  if (!member) return reply.redirect(sitePaths.signIn, 303);
  const call = callsOf(visitorContext(deps, request));
  const preference = await call('site.newsletter.preference');
  const holdings = await call('visitors.selling.holdings');
  const courses = await call('visitors.learning.courses');
  reply.headers(policyWithFormsTo(stripeOrigins.billing));
  return sendOnce(reply, visit, async (shown, { profile }) => {
    const held = html`${coursesFacts(shown, courses)}${holdingsFacts(shown, holdings, profile.email)}`;
    return account(shown.strings, { member, preference, held, problems });
  });
}

export const subscribeForm: PageForm = {
  path: sitePaths.newsletter,
  calls: ['site.newsletter.subscribe'],
  page: newsletter,
  async submit({ call, values }) {
    const { by_mail } = await call('visitors.letters.subscribing');
    const to = `${sitePaths.newsletter}?sent=${by_mail ? 'mail' : 1}`;
    const { email = '', source = '' } = values;
    if (!isBot(values)) await call('site.newsletter.subscribe', { email, source });
    return { to };
  },
  again: newsletterWith,
};

export const signInForm: PageForm = {
  path: sitePaths.signIn,
  calls: ['site.members.requestCode', 'site.members.signIn'],
  page: signIn,
  async submit({ deps, call, values, request, reply }) {
    const { email = '', code } = values;
    if (code === undefined) {
      const challenge = keepChallenge(request, reply, deps.randomBytes);
      if (!isBot(values)) await call('site.members.requestCode', { email, challenge });
      return { show: async ({ strings }) => codeForm(strings, { values, problems: {} }) };
    }
    const challenge = challengeCookie(request);
    const { token } = await call('site.members.signIn', { email, code: code.replace(/\s/g, ''), challenge });
    setMemberCookie(request, reply, token);
    return { to: ownPath(values.next ?? '') ?? sitePaths.account };
  },
  again: (filled) => {
    const form = filled.values.code === undefined ? addressForm : codeForm;
    return async ({ strings }) => form(strings, filled);
  },
};

export const signOutForm: Form = {
  path: sitePaths.signOut,
  calls: ['site.members.signOut'],
  async submit({ call, request, reply }) {
    // A session that has already ended is not an error.
    if (memberCookie(request)) await call('site.members.signOut').catch(unless('unauthorized'));
    clearMemberCookie(request, reply);
    // Some browsers store pages despite `no-store`.
    reply.header('Clear-Site-Data', '"cache"');
    return reply.redirect(sitePaths.home, 303);
  },
  again: sendAccount,
};

export const preferForm: Form = {
  path: sitePaths.account,
  calls: ['site.newsletter.prefer'],
  async submit({ call, values, reply }) {
    // The next page shows a suppression, and redirects signed-out visitors to sign in.
    const receives = values.receives === 'yes';
    await call('site.newsletter.prefer', { receives }).catch(unless('suppressed', 'unauthorized'));
    return reply.redirect(sitePaths.account, 303);
  },
  again: sendAccount,
};

/** Returns a function that throws errors with other codes than these. */
const unless =
  (...codes: readonly string[]) =>
  (error: unknown) => {
    if (!codes.includes(toApiError(error, true).errorCode)) throw error;
  };
