import type { FastifyRequest } from 'fastify';
import { canonicalPath, redirectedCollections } from '../../shared/contract/features/redirects.ts';
import { firstSegment, serviceSegments, sitePaths } from '../../shared/contract/site-paths.ts';
import { collectionStateOf } from '../api/access/site-of-host.ts';
import { toApiError } from '../api/api-error.ts';
import type { VisitedSite } from '../api/callers.ts';
import type { Context } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import { type AnswerKey, cachedValues } from '../api/response-cache.ts';
import { logOf } from '../http/request-log.ts';
import type { Http } from '../http/send-representation.ts';
import { pageHeaders } from './policy.ts';
import { readsOf } from './procedures.ts';
import { visitedSite, visitorContext } from './visit.ts';

/**
 * Redirects a request without a route: by a redirect of the owner, or to the path without a trailing slash. Returns false if
 * there is none.
 */
export async function sendRedirect(deps: Deps, { request, reply }: Http): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const found = await redirectOf(deps, request).catch((error: unknown) => {
    if (toApiError(error, false).status >= 500)
      logOf(request).error({ err: error }, 'redirect lookup failed; answered without it');
    return null;
  });
  if (!found) return false;
  reply
    .code(found.permanent ? 301 : 302)
    .headers(pageHeaders)
    // Revalidation lets earlier visitors find a page that is created here later.
    .header('Cache-Control', 'public, max-age=0, must-revalidate')
    .header('Location', found.to)
    .send();
  return true;
}

async function redirectOf(deps: Deps, request: FastifyRequest) {
  const [path = '', query = ''] = request.url.split(/\?(.*)/s, 2);
  const visitedPath = canonicalPath(path);
  if (visitedPath === null || visitedPath === '/' || serviceSegments.has(firstSegment(visitedPath)))
    return null;
  const ctx = visitorContext(deps, request);
  const site = await visitedSite(ctx, request);
  const found = (await findRedirect(ctx, site, visitedPath)) ?? (await findList(ctx, site, visitedPath));
  if (found) return { permanent: found.permanent, to: withQuery(found.to, query) };
  if (usualFeeds.has(visitedPath)) return { permanent: true, to: withQuery(sitePaths.atom, query) };
  return path.endsWith('/') ? { permanent: true, to: withQuery(visitedPath, query) } : null;
}

/**
 * End of the path of a list's later pages in other systems. Posts have moved to other pages since, so visitors are
 * redirected to the first page.
 */
const laterPage = /\/page\/\d{1,6}$/;

/**
 * Finds the redirect of a later page of a list. `/page/2` redirects to the list of posts, `/blog/page/2` to the target
 * of the redirect of `/blog`. Null for other paths, and if `/blog` has no redirect or one to a later page.
 */
async function findList(ctx: Context, site: VisitedSite, path: string): Promise<Lead | null> {
  if (!laterPage.test(path)) return null;
  const list = path.replace(laterPage, '');
  if (list === '') return { permanent: true, to: sitePaths.posts };
  const found = await findRedirect(ctx, site, list);
  return found && !laterPage.test(canonicalPath(found.to) ?? '') ? found : null;
}

/**
 * Feed paths of other systems. They redirect to the Atom feed, so that subscriptions still work after a site has moved
 * here.
 */
const usualFeeds: ReadonlySet<string> = new Set(['/rss', '/feed', '/rss.xml', '/atom.xml', '/index.xml']);

interface Lead {
  to: string;
  permanent: boolean;
}

const cachedRedirects = cachedValues<Lead>('redirect');

const uses = ['redirects', ...redirectedCollections];

/**
 * Finds the redirect of a path; null if there is none. Results are cached until a collection changes. Missing redirects
 * are not cached, because anyone could fill the memory.
 */
async function findRedirect(ctx: Context, site: VisitedSite, path: string): Promise<Lead | null> {
  if (collectionStateOf(site, 'redirects').public_count === 0) return null;
  const version = uses.map((name) => collectionStateOf(site, name).version).join(' ');
  // Whether a target is on this site depends on the host and on the site's current domains.
  const key: AnswerKey = { question: `${site.id} ${ctx.host} ${path}`, version: `${version} ${site.state}` };
  const kept = cachedRedirects.get(ctx.deps.responses, key);
  if (kept) return kept;
  const found = await readsOf(ctx, site, uses)('visitors.redirect', { path });
  if (found) cachedRedirects.keep(ctx.deps.responses, key, { thing: found, bytes: 2 * found.to.length });
  return found;
}

/**
 * Returns the address `to` with the query of the old URL appended, except parameters that `to` already has.
 * `requestedQuery` is that query without its question mark; empty if there is none. A fragment of `to` remains at the
 * end.
 */
export function withQuery(to: string, requestedQuery: string): string {
  const [, path = '', own = '', hash = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(to) ?? [];
  const taken = new Set(new URLSearchParams(own).keys());
  const kept = requestedQuery.split('&').filter((pair) => pair !== '' && !taken.has(nameOf(pair)));
  const query = [...(own === '' ? [] : [own]), ...kept].join('&');
  // Characters that are not allowed in headers are encoded.
  const written = query.replace(/[^\x21-\x7e]/g, encodeURIComponent);
  return `${path}${written && `?${written}`}${hash}`;
}

const nameOf = (pair: string) => [...new URLSearchParams(pair).keys()][0] ?? '';
