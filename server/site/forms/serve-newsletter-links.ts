import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { siteStrings } from '../../../shared/i18n/site-strings.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import { pageHeaders } from '../policy.ts';
import { callsOf, type OutputOf } from '../procedures.ts';
import { formProblem } from '../views/forms.ts';
import { barePage, renderInLayout } from '../views/layout.ts';
import { layoutCollections } from '../views/layout-data.ts';
import { intro, type View } from '../views/parts.ts';
import { visitOf, visitorContext } from '../visit.ts';
import { type Form, type FormProblems, limitProblemOf, type Submission } from './form.ts';

type LinkPage = (strings: SiteStrings, site: string, problems: FormProblems) => { title: string; main: View };

/** Renders a form with one button. Mail scanners open the links in an email, but do not submit forms. */
const button = (strings: SiteStrings, label: string, problems: FormProblems): View =>
  html`${formProblem(strings, { problems })}
<form method="post"><p><button type="submit">${label}</button></p></form>`;

const confirmPage: LinkPage = (strings, site, problems) => ({
  title: strings.newsletter,
  main: html`${intro(strings.confirmTitle, strings.confirmLead(site))}
${button(strings, strings.subscribe, problems)}`,
});

const confirmedPage: LinkPage = (strings) => ({
  title: strings.newsletter,
  main: intro(strings.subscribed, strings.subscribedLead),
});

const unsubscribePage: LinkPage = (strings, site, problems) => ({
  title: strings.unsubscribe,
  main: html`${intro(strings.unsubscribeTitle, strings.unsubscribeLead(site))}
${button(strings, strings.unsubscribe, problems)}`,
});

const unsubscribedPage: LinkPage = (strings, site) => ({
  title: strings.unsubscribe,
  main: intro(strings.unsubscribed, strings.unsubscribedLead(site)),
});

/** Headers of these pages. Anyone with the URL can act on it, so caches and search engines must not store it. */
const headers = { ...pageHeaders, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };

/**
 * Serves the links in newsletter emails, at any host. Opening a page changes nothing; only its form confirms or
 * unsubscribes.
 */
export function serveNewsletterLinks(app: FastifyInstance, deps: Deps) {
  const seen = { config: { tier: 'site' } } as const;
  app.get(sitePaths.confirm, seen, async (request, reply) =>
    sendConfirm(confirmPage, { deps, request, reply }),
  );
  app.get(sitePaths.unsubscribe, seen, async (request, reply) => {
    reply.header('referrer-policy', 'no-referrer');
    return sendUnsubscribe(unsubscribePage, { deps, request, reply });
  });
}

export const confirmForm: Form = {
  path: sitePaths.confirm,
  calls: ['site.newsletter.confirm'],
  async submit(submission) {
    await submission.call('site.newsletter.confirm', givenToken(submission.request));
    return sendConfirm(confirmedPage, submission);
  },
  again: (submission, error) => sendConfirm(confirmPage, submission, limitProblemOf(error)),
};

/** Form of the unsubscribe page, and the request of mail programs for one-click unsubscription (RFC 8058). */
export const unsubscribeForm: Form = {
  path: sitePaths.unsubscribe,
  calls: ['site.newsletter.unsubscribe'],
  isOneClick: true,
  async submit(submission) {
    await submission.call('site.newsletter.unsubscribe', givenToken(submission.request));
    return sendUnsubscribe(unsubscribedPage, submission);
  },
  again: (submission, error) => sendUnsubscribe(unsubscribePage, submission, limitProblemOf(error)),
};

type Visiting = Pick<Submission, 'deps' | 'request' | 'reply'>;

async function sendConfirm(view: LinkPage, visitor: Visiting, problems: FormProblems = {}) {
  const call = callsOf(visitorContext(visitor.deps, visitor.request));
  const site = await call('visitors.letters.confirming', givenToken(visitor.request));
  return sendPage(visitor, site, (strings) => view(strings, site.name, problems));
}

async function sendUnsubscribe(view: LinkPage, visitor: Visiting, problems: FormProblems = {}) {
  const call = callsOf(visitorContext(visitor.deps, visitor.request));
  const site = await call('visitors.letters.leaving', givenToken(visitor.request));
  return sendPage(visitor, site, (strings) => view(strings, site.name, problems));
}

/**
 * Sends a page, in the layout of the site if the host belongs to it, and without a layout otherwise. Links of the
 * layout are relative to the host.
 */
async function sendPage(
  { deps, request, reply }: Visiting,
  { id, language }: OutputOf<'visitors.letters.leaving'>,
  view: (strings: SiteStrings) => ReturnType<LinkPage>,
) {
  const ctx = { ...visitorContext(deps, request), memberToken: undefined };
  const strings = siteStrings(language);
  const page = view(strings);
  const host = await deps.findVisitedSite(ctx.host);
  const content = { ...page, path: sitePaths.newsletter, kind: 'message', hidden: true };
  const body =
    host?.id === id
      ? (await renderInLayout(visitOf(ctx, host, { uses: layoutCollections }), async () => content)).body
      : String(await barePage(deps, strings, page));
  for (const [name, text] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, text);
  return reply.type('text/html; charset=utf-8').send(body);
}

function givenToken({ params }: FastifyRequest) {
  const { token = '' } = textsOf(params);
  if (token.length > 200) throw new ApiError('not_found');
  return { token };
}
