import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { anyone } from '../../shared/content/gate.ts';
import { compressedBodySize } from '../../shared/runtime/compressed-body.ts';
import { isDemoHost } from '../api/access/site-of-host.ts';
import { ApiError } from '../api/api-error.ts';
import type { Deps } from '../api/deps.ts';
import { type AnswerKey, cachedValues } from '../api/response-cache.ts';
import type { ClientReader } from '../http/client-address.ts';
import type { CachedAddress, CachedAddresses } from '../http/fast-path.ts';
import { hostName } from '../http/request-target.ts';
import { type Http, type Representation, send, toContent } from '../http/send-representation.ts';
import { hasMemberCookie } from './cookie.ts';
import { countViews, type ViewCounter, viewOf } from './count-views.ts';
import { serveAccount } from './forms/serve-account.ts';
import { serveCheckout } from './forms/serve-checkout.ts';
import { serveForms } from './forms/serve-forms.ts';
import { serveLearning } from './forms/serve-learning.ts';
import { serveNewsletterLinks } from './forms/serve-newsletter-links.ts';
import type { Page, Visit } from './page.ts';
import { anySlug, pages } from './pages.ts';
import { cachedPageHeaders } from './policy.ts';
import { serveAssets } from './serve-assets.ts';
import { servePreviews } from './serve-previews.ts';
import { beginVisit, keyOf, leadNowhere, paramsOf, questionOf } from './visit.ts';

interface PageServer {
  deps: Deps;
  addresses: CachedAddresses;
  client: ClientReader;
  countView: ViewCounter;
  /** Pages that are being rendered. Requests for the same page and data share one rendering. */
  pending: Map<string, Promise<Representation>>;
}

/**
 * Serves the public site: HTML pages, rendered from the results of procedures and cached until one of their collections
 * changes.
 */
export function serveSite(
  app: FastifyInstance,
  deps: Deps,
  addresses: CachedAddresses,
  client: ClientReader,
) {
  serveForms(app, deps);
  serveAccount(app, deps);
  serveCheckout(app, deps);
  serveNewsletterLinks(app, deps);
  serveDomain(app, deps, client);
  app.register(async (site) => {
    const server = { deps, addresses, client, countView: countViews(site, deps), pending: new Map() };
    serveAssets(site, deps);
    servePreviews(site, deps);
    serveLearning(site, deps);
    for (const [url, page] of pages) {
      const tier = url === anySlug ? { isCatchAll: true } : { tier: 'site' as const };
      const config = { ...tier, isView: !page.isAnonymous };
      site.get(url, { config }, (request, reply) => sendPage(server, url, page, { request, reply }));
    }
  });
}

async function sendPage(server: PageServer, route: string, page: Page, { request, reply }: Http) {
  const { deps, addresses, pending } = server;
  const visit = await beginVisit(deps, request, page);
  request.visitedSiteId = visit.site.id;
  const key = keyOf(visit.site, questionOf(route, visit), page);
  let kept = cachedPages.get(deps.responses, key);
  if (kept) addresses.set(request.originalUrl, cachedPage(server, route, page, request));
  else if (visit.reader.buyer !== undefined || (page.isPersonal && visit.reader.signedIn))
    kept = await makePage(page, visit);
  else {
    const name = JSON.stringify(key);
    const making =
      pending.get(name) ?? makeKeptPage(deps, page, visit, key).finally(() => pending.delete(name));
    pending.set(name, making);
    kept = await making;
  }
  return send(kept, request, reply);
}

async function makePage(page: Page, visit: Visit) {
  const { type, body } = await page.render(visit).catch(leadNowhere);
  return toContent(type, body, cachedPageHeaders(visit.reader.signedIn));
}

async function makeKeptPage(deps: Deps, page: Page, visit: Visit, key: AnswerKey) {
  const made = await makePage(page, visit);
  if (!visit.texts.isAnyPlain())
    cachedPages.keep(deps.responses, key, { thing: made, bytes: compressedBodySize(made.bytes) });
  return made;
}

const cachedPages = cachedValues<Representation>('page');

/** Address of a cached page for the fast path. It serves visitors who are not signed in. */
function cachedPage(
  { deps, client, countView }: PageServer,
  route: string,
  page: Page,
  requested: FastifyRequest,
): CachedAddress {
  const isDemo = isDemoHost(deps, hostName(requested.headers.host));
  const question = questionOf(route, { ...paramsOf(requested, page), reader: anyone, isDemo });
  const view = page.isAnonymous ? null : viewOf(requested);
  return {
    route,
    tier: 'site',
    surface: 'site',
    question,
    isPlain: ({ headers }) =>
      (page.isAnonymous === true || !hasMemberCookie(headers)) &&
      isDemoHost(deps, hostName(headers.host)) === isDemo,
    contentFor: ({ caller }) =>
      caller?.kind === 'visitor'
        ? cachedPages.peek(deps.responses, keyOf(caller.site, question, page))
        : undefined,
    afterAnswer(request, requestId) {
      const { headers, admission } = request;
      if (view && admission?.caller?.kind === 'visitor') {
        const siteId = admission.caller.site.id;
        countView({ siteId, requestId, client: client.addressOf(request), view, headers });
      }
    },
  };
}

const Question = z.object({ domain: z.string().toLowerCase() });

/**
 * Tells a TLS proxy whether to obtain a certificate for a domain: 200 for a site's domain and the service's own,
 * otherwise 404. Other clients get `not_found`.
 */
function serveDomain(app: FastifyInstance, deps: Deps, client: ClientReader) {
  app.get('/internal/domain', { config: { tier: 'site', isUnencrypted: true } }, async (request) => {
    if (!client.isOwnProxy(request.raw)) throw new ApiError('not_found');
    const { success, data } = Question.safeParse(request.query);
    if (!success) throw new ApiError('invalid_request', 'domain: must be exactly one domain');
    const { domain } = data;
    if (!/^[a-z0-9.-]{1,253}$/.test(domain)) throw new ApiError('not_found');
    const isOurs = domain === deps.config.publicUrl.hostname;
    if (!isOurs && !(await deps.findVisitedSite(domain))?.named) throw new ApiError('not_found');
    return { domain };
  });
}
