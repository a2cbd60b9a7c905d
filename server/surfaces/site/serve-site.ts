import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { codedSize } from '../../kernel/coded.ts';
import type { Deps } from '../../kernel/deps.ts';
import { keptThings } from '../../kernel/response-cache.ts';
import { type Kept, sendKept, toKept } from '../http/send-kept.ts';
import { countViews } from './count-views.ts';
import { serveForms } from './forms/serve-forms.ts';
import type { Page } from './page.ts';
import { anySlug, pages } from './pages.ts';
import { pageHeaders } from './policy.ts';
import { serveAssets } from './serve-assets.ts';
import { serveDomain } from './serve-domain.ts';
import { beginVisit, keyOf } from './visit.ts';

/** The public site: pages of HTML, each made once of what procedures give, and kept until something of it changes. */
export function serveSite(app: FastifyInstance, deps: Deps) {
  app.register(async (forms) => serveForms(forms, deps));
  serveDomain(app, deps);
  app.register(async (site) => {
    countViews(site, deps);
    serveAssets(site, deps);
    for (const [url, page] of pages) {
      const tier = url === anySlug ? { isCatchAll: true } : { tier: 'site' as const };
      const config = { ...tier, isView: !page.isAnonymous };
      site.get(url, { config }, (request, reply) => sendPage(deps, { name: url, page }, { request, reply }));
    }
  });
}

interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

const keptPages = keptThings<Kept>('page');

/** Sends a page as its visitor may see it. Throws `not_found` where there is none. */
async function sendPage(deps: Deps, { name, page }: { name: string; page: Page }, { request, reply }: Http) {
  const visit = await beginVisit(deps, request, page);
  request.visitedSiteId = visit.site.id;
  const key = keyOf(name, visit, page);
  let kept = keptPages.get(deps.responses, key);
  if (!kept) {
    const { type, body } = await page.render(visit);
    kept = toKept(type, body);
    keptPages.keep(deps.responses, key, kept, codedSize(kept.bytes));
  }
  reply.headers(pageHeaders);
  reply.header(
    'Cache-Control',
    visit.reader.signedIn ? 'private, no-cache' : 'public, max-age=0, must-revalidate',
  );
  reply.header('Vary', 'Accept-Encoding, Cookie');
  return sendKept(kept, request, reply);
}
