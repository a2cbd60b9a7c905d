import formbody from '@fastify/formbody';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TierName } from '../../../shared/contract/limits.ts';
import { type ApiError, toApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import { countRequest, countUncounted } from '../../http/limit-by-address.ts';
import { callsOfForm, limitOfForm } from '../procedures.ts';
import { testimonialForm } from '../views/testimonials.ts';
import { visitorContext } from '../visit.ts';
import { type Form, formOf, requireOwnOrigin, type Submission } from './form.ts';
import { preferForm, signInForm, signOutForm, subscribeForm } from './serve-account.ts';
import { billingForm, buyerSignInForm, buyForm, demoBillingForm, demoPaymentForm } from './serve-checkout.ts';
import { beginForm, certifyForm, lessonForm } from './serve-learning.ts';
import { confirmForm, unsubscribeForm } from './serve-newsletter-links.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Refusal of a form by its rate limit; null if it was accepted. */
    formRefusal: ApiError | null;
  }
}

/** All forms of the site. Each works without a script. */
export const forms: readonly Form[] = [
  ...[subscribeForm, testimonialForm, signInForm].map(formOf),
  ...[signOutForm, preferForm],
  ...[buyForm, demoPaymentForm, buyerSignInForm, billingForm, demoBillingForm],
  ...[beginForm, lessonForm, certifyForm],
  ...[confirmForm, unsubscribeForm],
];

const defaultMaxBytes = 4_096;

export function serveForms(app: FastifyInstance, deps: Deps) {
  app.decorateRequest('formRefusal', null);
  for (const form of forms) app.register(async (scope) => serveForm(scope, deps, form));
}

/**
 * Serves a form. It counts once, before its body is read, in the tier that its procedures declare. Over the limit, its page
 * is shown again with the submitted values instead, as long as the client may open pages.
 */
async function serveForm(app: FastifyInstance, deps: Deps, form: Form) {
  const { path: url, maxBytes = defaultMaxBytes } = form;
  const { tier, countsByInput } = limitOfForm(form.calls);
  app.removeAllContentTypeParsers();
  if (form.isOneClick)
    app.addContentTypeParser(
      ['application/x-www-form-urlencoded', 'multipart/form-data'],
      { parseAs: 'buffer', bodyLimit: maxBytes },
      (_request, _body, done) => done(null, undefined),
    );
  else await app.register(formbody, { bodyLimit: maxBytes });

  app.post(
    url,
    {
      async onRequest(request) {
        if (countsByInput) return;
        await countRequest(deps, request, tier).catch((error: unknown) => {
          const refusal = toApiError(error, false);
          if (refusal.errorCode !== 'rate_limited') throw error;
          request.formRefusal = refusal;
        });
      },
      async errorHandler(error, request) {
        await countUncounted(deps, request);
        throw request.formRefusal && toApiError(error, true).status < 500 ? request.formRefusal : error;
      },
    },
    async (request, reply) => {
      if (!form.isOneClick) requireOwnOrigin(request);
      const ctx = visitorContext(deps, request);
      const call = callsOfForm(ctx, form.calls);
      const given = Object.entries(textsOf(request.body));
      const values = Object.fromEntries(given.map(([name, text]) => [name, text.trim()]));
      const submission: Submission = { deps, call, values, answer: ctx.answer, request, reply };
      try {
        if (request.formRefusal) throw request.formRefusal;
        return await form.submit(submission);
      } catch (error) {
        const { status, errorCode, retryAfter } = toApiError(error, true);
        const isCounted = !countsByInput && !request.formRefusal;
        if (errorCode === 'rate_limited' && !isCounted && !(await mayShowAgain(deps, request, tier)))
          throw error;
        // 401 would require a `WWW-Authenticate` header, which makes browsers open a dialog. A wrong code is a wrong value.
        reply.code(status === 401 ? 400 : status);
        if (retryAfter) reply.header('retry-after', retryAfter);
        return form.again(submission, error);
      }
    },
  );
}

/**
 * Counts a page that shows a refused form as any page of the client, so that refused forms cost no more than pages. Where
 * that limit refused the form, the page counts in the tier `normal`.
 */
async function mayShowAgain({ limiter }: Deps, { client }: FastifyRequest, tier: TierName) {
  const decision = await limiter.take(tier === 'site' ? 'normal' : 'site', client);
  return decision?.allowed !== false;
}
