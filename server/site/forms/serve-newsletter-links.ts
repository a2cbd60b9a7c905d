import type { FastifyInstance, FastifyRequest } from 'fastify';
import { html } from 'hono/html';
import { sitePaths } from '../../../shared/contract/site-paths.ts';
import type { SiteStrings } from '../../../shared/i18n/en.ts';
import { siteStrings } from '../../../shared/i18n/site-strings.ts';
import { ApiError } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { textsOf } from '../../http/body.ts';
import { countUncounted } from '../../http/limit-by-address.ts';
import type { Http } from '../../http/send-representation.ts';
import { pageHeaders } from '../policy.ts';
import { callsOf, type OutputOf } from '../procedures.ts';
import { barePage, renderInLayout } from '../views/layout.ts';
import { layoutCollections } from '../views/layout-data.ts';
import { intro, type View } from '../views/parts.ts';
import { visitOf, visitorContext } from '../visit.ts';
import { requireOwnOrigin } from './form.ts';

type LinkPage = (strings: SiteStrings, site: string) => { title: string; main: View };

/** Renders a form with one button. Mail scanners open the links in an email, but do not submit forms. */
const button = (label: string): View =>
  html`<form method="post"><p><button type="submit">${label}</button></p></form>`;

const confirmPage: LinkPage = (strings, site) => ({
  title: strings.newsletter,
  main: html`${intro(strings.confirmTitle, strings.confirmLead(site))}
${button(strings.subscribe)}`,
});

const confirmedPage: LinkPage = (strings) => ({
  title: strings.newsletter,
  main: intro(strings.subscribed, strings.subscribedLead),
});

const unsubscribePage: LinkPage = (strings, site) => ({
  title: strings.unsubscribe,
  main: html`${intro(strings.unsubscribeTitle, strings.unsubscribeLead(site))}
${button(strings.unsubscribe)}`,
});

const unsubscribedPage: LinkPage = (strings, site) => ({
  title: strings.unsubscribe,
  main: intro(strings.unsubscribed, strings.unsubscribedLead(site)),
});

const maxBytes = 4_096;

/** Headers of these pages. Anyone with the URL can act on it, so caches and search engines must not store it. */
const headers = { ...pageHeaders, 'cache-control': 'no-store', 'x-robots-tag': 'noindex' };

/**
 * Serves the links in newsletter emails, at any host. Opening a page changes nothing; only its form confirms or
 * unsubscribes.
 */
export function serveNewsletterLinks(app: FastifyInstance, deps: Deps) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer', bodyLimit: maxBytes },
    (_request, _body, done) => done(null, undefined),
  );
  app.setErrorHandler(async (error, request) => {
    await countUncounted(deps, request);
    throw error;
  });
  const callFor = (request: FastifyRequest) => callsOf(visitorContext(deps, request));

  app.get(sitePaths.confirm, { config: { tier: 'site' } }, async (request, reply) => {
    const site = await callFor(request)('visitors.letters.confirming', givenToken(request));
    return show(confirmPage, site, { request, reply });
  });

  app.post(sitePaths.confirm, { config: { tier: 'normal' } }, async (request, reply) => {
    requireOwnOrigin(request);
    const given = givenToken(request);
    await callFor(request)('site.newsletter.confirm', given);
    const site = await callFor(request)('visitors.letters.confirming', given);
    return show(confirmedPage, site, { request, reply });
  });

  app.get(sitePaths.unsubscribe, { config: { tier: 'site' } }, async (request, reply) => {
    const site = await callFor(request)('visitors.letters.leaving', givenToken(request));
    reply.header('referrer-policy', 'no-referrer');
    return show(unsubscribePage, site, { request, reply });
  });

  // Mail programs send this request too (RFC 8058), without a cookie and from any origin. Many share one IP address, so
  // the procedure counts requests by token.
  app.post(sitePaths.unsubscribe, async (request, reply) => {
    const given = givenToken(request);
    await callFor(request)('site.newsletter.unsubscribe', given);
    const site = await callFor(request)('visitors.letters.leaving', given);
    return show(unsubscribedPage, site, { request, reply });
  });

  /**
   * Sends a page, in the layout of the site if the host belongs to it, and without a layout otherwise. Links of the
   * layout are relative to the host.
   */
  async function show(
    view: LinkPage,
    { id, name, language }: OutputOf<'visitors.letters.leaving'>,
    { request, reply }: Http,
  ) {
    const ctx = { ...visitorContext(deps, request), memberToken: undefined };
    const strings = siteStrings(language);
    const page = view(strings, name);
    const host = await deps.findVisitedSite(ctx.host);
    const content = { ...page, path: sitePaths.newsletter, kind: 'message', hidden: true };
    const body =
      host?.id === id
        ? (await renderInLayout(visitOf(ctx, host, { uses: layoutCollections }), async () => content)).body
        : String(await barePage(deps, strings, page));
    for (const [name, text] of Object.entries(headers)) if (!reply.hasHeader(name)) reply.header(name, text);
    return reply.type('text/html; charset=utf-8').send(body);
  }
}

function givenToken({ params }: FastifyRequest) {
  const { token = '' } = textsOf(params);
  if (token.length > 200) throw new ApiError('not_found');
  return { token };
}
