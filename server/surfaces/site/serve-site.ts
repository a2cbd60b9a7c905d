import type { FastifyInstance } from 'fastify';
import { codedSize } from '../../../shared/coded.ts';
import { ApiError, toApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { AnswerKey } from '../../kernel/response-cache.ts';
import { type Http, type Representation, send, toContent } from '../http/answer.ts';
import type { ClientReader } from '../http/client-address.ts';
import type { CachedAddresses } from '../http/front.ts';
import { type CachedPageDeps, cachedPage, cachedPages } from './cached-page.ts';
import { countViews } from './count-views.ts';
import { serveForms } from './forms/serve-forms.ts';
import { serveNewsletterLinks } from './forms/serve-newsletter-links.ts';
import type { Page, Visit } from './page.ts';
import { anySlug, pages } from './pages.ts';
import { cachedPageHeaders } from './policy.ts';
import { serveAssets } from './serve-assets.ts';
import { serveDomain } from './serve-domain.ts';
import { servePreviews } from './serve-previews.ts';
import { beginVisit, keyOf, questionOf } from './visit.ts';

interface Site {
  deps: Deps;
  addresses: CachedAddresses;
  client: ClientReader;
}

/** The public site: pages of HTML, each made once of what procedures give, and kept until something of it changes. */
export function serveSite(app: FastifyInstance, { deps, addresses, client }: Site) {
  app.register(async (forms) => serveForms(forms, deps));
  app.register(async (links) => serveNewsletterLinks(links, deps));
  serveDomain(app, deps, client);
  app.register(async (site) => {
    const surroundings = { deps, addresses, client, countView: countViews(site, deps), underWay: new Map() };
    serveAssets(site, deps);
    servePreviews(site, deps);
    for (const [url, page] of pages) {
      const tier = url === anySlug ? { isCatchAll: true } : { tier: 'site' as const };
      const config = { ...tier, isView: !page.isAnonymous };
      site.get(url, { config }, (request, reply) =>
        sendPage(surroundings, { name: url, page }, { request, reply }),
      );
    }
  });
}

/** A page takes nothing but its address: one that procedures don't take is that of no page. */
function leadNowhere(error: unknown): never {
  throw toApiError(error, false).status === 400 ? new ApiError('not_found') : error;
}

interface Surroundings extends CachedPageDeps, Pick<Site, 'addresses'> {
  /** Pages that are being made: who asks for one meanwhile, and knows of no later write, gets the same. */
  underWay: Map<string, Promise<Representation>>;
}

/** Sends a page as its visitor may see it. Throws `not_found` where there is none. */
async function sendPage(
  surroundings: Surroundings,
  { name, page }: { name: string; page: Page },
  { request, reply }: Http,
) {
  const { deps, addresses, underWay } = surroundings;
  const visit = await beginVisit(deps, request, page);
  request.visitedSiteId = visit.site.id;
  const key = keyOf(visit.site, questionOf(name, visit), page);
  let kept = cachedPages.get(deps.responses, key);
  if (kept) addresses.set(request.originalUrl, cachedPage(surroundings, { name, page }, request));
  else if (visit.reader.buyer !== undefined) kept = await makePage(page, visit);
  else {
    const name = JSON.stringify(key);
    const making =
      underWay.get(name) ?? makeKeptPage(deps, page, { visit, key }).finally(() => underWay.delete(name));
    underWay.set(name, making);
    kept = await making;
  }
  return send(kept, request, reply);
}

async function makePage(page: Page, visit: Visit) {
  const { type, body } = await page.render(visit).catch(leadNowhere);
  return toContent(type, body, cachedPageHeaders(visit.reader.signedIn));
}

async function makeKeptPage(deps: Deps, page: Page, { visit, key }: { visit: Visit; key: AnswerKey }) {
  const made = await makePage(page, visit);
  if (!visit.texts.isAnyPlain())
    cachedPages.keep(deps.responses, key, { thing: made, bytes: codedSize(made.bytes) });
  return made;
}
