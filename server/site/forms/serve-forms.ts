import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import { toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import {
  challengeCookie,
  clearMemberCookie,
  keepChallenge,
  memberCookie,
  setMemberCookie,
} from '../cookie.ts';
import { ownPath } from '../local-path.ts';
import type { Visit } from '../page.ts';
import { headersWithFrame, pageHeaders, policyWithFormsTo, stripeOrigins } from '../policy.ts';
import { callsOf } from '../procedures.ts';
import { holdingsFacts } from '../views/checkout.ts';
import { type PageRenderer, renderInLayout } from '../views/layout.ts';
import { coursesFacts } from '../views/learning.ts';
import { newsletter, newsletterWith } from '../views/newsletter.ts';
import { account, addressForm, codeForm, signIn } from '../views/sign-in.ts';
import { testimonialForm } from '../views/testimonials.ts';
import { beginVisit, visitorContext } from '../visit.ts';
import { type Form, isBot, problemsOf, requireOwnOrigin } from './form.ts';

/** Maximum size of a form, in bytes. A testimonial of 5,000 characters fits in any script. */
const maxFormBytes = 64 * 1024;

/**
 * Serves the forms of visitors and the page `/account`. Each form works without a script, and redirects to another page
 * after a success.
 */
export async function serveForms(app: FastifyInstance, deps: Deps) {
  app.removeAllContentTypeParsers();
  await app.register(formbody, { bodyLimit: maxFormBytes });
  for (const form of [subscribe, testimonialForm, enter]) serveForm(app, deps, form);
  app.post(sitePaths.signOut, { config: { tier: 'site' } }, async (request, reply) => {
    requireOwnOrigin(request);
    const token = memberCookie(request);
    // A session that has already ended is not an error.
    if (token) await callsOf(visitorContext(deps, request))('site.members.signOut').catch(problemsOf);
    clearMemberCookie(request, reply);
    // Some browsers store pages despite `no-store`.
    reply.header('Clear-Site-Data', '"cache"');
    return reply.redirect(sitePaths.home, 303);
  });
  app.get(sitePaths.account, { config: { tier: 'site' } }, async (request, reply) => {
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
      return account(shown.strings, { member, preference, held });
    });
  });
  app.post(sitePaths.account, { config: { tier: 'normal' } }, async (request, reply) => {
    requireOwnOrigin(request);
    const receives = textsOf(request.body).receives === 'yes';
    await callsOf(visitorContext(deps, request))('site.newsletter.prefer', { receives }).catch(unlessShown);
    return reply.redirect(sitePaths.account, 303);
  });
}

/**
 * Throws errors other than `suppressed` and `unauthorized`. The next page shows a suppression, and redirects signed-out
 * visitors to sign in.
 */
function unlessShown(error: unknown) {
  const { errorCode } = toApiError(error, true);
  if (errorCode !== 'suppressed' && errorCode !== 'unauthorized') throw error;
}

function serveForm(app: FastifyInstance, deps: Deps, form: Form) {
  app.post(form.path, { config: { tier: form.tier } }, async (request, reply) => {
    requireOwnOrigin(request);
    const given = Object.entries(textsOf(request.body));
    const values = Object.fromEntries(given.map(([name, text]) => [name, text.trim()]));
    const call = callsOf(visitorContext(deps, request));
    const outcome = await form.submit({ deps, call, values, request, reply }).catch((error: unknown) => {
      const problems = problemsOf(error);
      reply.code(problems.form ? 429 : 400);
      return { show: form.again({ values, problems }) };
    });
    if ('to' in outcome) return reply.redirect(outcome.to, 303);
    return sendOnce(reply, await beginVisit(deps, request, form.page), outcome.show);
  });
}

/** Sends a page with `no-store`. Headers that are already set on the reply are not replaced. */
export async function sendOnce(reply: FastifyReply, visit: Visit, view: PageRenderer) {
  const { type, body, frame } = await renderInLayout(visit, view);
  for (const [name, value] of Object.entries(frame ? headersWithFrame(frame) : pageHeaders))
    if (!reply.hasHeader(name)) reply.header(name, value);
  return reply.header('cache-control', 'private, no-store').type(type).send(body);
}

const subscribe: Form = {
  path: sitePaths.newsletter,
  page: newsletter,
  tier: 'normal',
  async submit({ call, values }) {
    const { by_mail } = await call('visitors.letters.subscribing');
    const to = `${sitePaths.newsletter}?sent=${by_mail ? 'mail' : 1}`;
    const { email = '', source = '' } = values;
    if (!isBot(values)) await call('site.newsletter.subscribe', { email, source });
    return { to };
  },
  again: newsletterWith,
};

const enter: Form = {
  path: sitePaths.signIn,
  page: signIn,
  tier: 'strict',
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
