import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, toApiError } from '../../kernel/api-error.ts';
import { codedSize } from '../../kernel/coded.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { ClientReader } from '../http/client-address.ts';
import type { KnownAddresses } from '../http/known-addresses.ts';
import { sendKept, toKept } from '../http/send-kept.ts';
import { countViews } from './count-views.ts';
import { serveForms } from './forms/serve-forms.ts';
import { keptPages, knownPage, type PageSurroundings } from './known-page.ts';
import type { Page } from './page.ts';
import { anySlug, pages } from './pages.ts';
import { keptPageHeaders } from './policy.ts';
import { serveAssets } from './serve-assets.ts';
import { serveDomain } from './serve-domain.ts';
import { beginVisit, keyOf, questionOf } from './visit.ts';

interface Site {
  deps: Deps;
  addresses: KnownAddresses;
  client: ClientReader;
}

/** The public site: pages of HTML, each made once of what procedures give, and kept until something of it changes. */
export function serveSite(app: FastifyInstance, { deps, addresses, client }: Site) {
  app.register(async (forms) => serveForms(forms, deps));
  serveDomain(app, deps, client);
  app.register(async (site) => {
    const surroundings = { deps, addresses, client, countView: countViews(site, deps) };
    serveAssets(site, deps);
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

interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Sends a page as its visitor may see it. Throws `not_found` where there is none. */
async function sendPage(
  surroundings: PageSurroundings & Pick<Site, 'addresses'>,
  { name, page }: { name: string; page: Page },
  { request, reply }: Http,
) {
  const { deps, addresses } = surroundings;
  const visit = await beginVisit(deps, request, page);
  request.visitedSiteId = visit.site.id;
  const key = keyOf(visit.site, questionOf(name, visit), page);
  let kept = keptPages.get(deps.responses, key);
  if (kept) addresses.learn(request.originalUrl, knownPage(surroundings, { name, page }, request));
  else {
    const { type, body } = await page.render(visit).catch(leadNowhere);
    kept = toKept(type, body);
    if (!visit.texts.isAnyPlain)
      keptPages.keep(deps.responses, key, { thing: kept, bytes: codedSize(kept.bytes) });
  }
  reply.headers(keptPageHeaders(visit.reader.signedIn));
  return sendKept(kept, request, reply);
}
