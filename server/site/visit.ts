import type { FastifyRequest } from 'fastify';
import { anyone } from '../../shared/content/gate.ts';
import { cutText } from '../../shared/contract/cut-text.ts';
import { mapTable } from '../../shared/contract/names-of.ts';
import { ownOriginOf } from '../../shared/contract/site-paths.ts';
import { shortened } from '../../shared/i18n/fit-text.ts';
import { siteStrings } from '../../shared/i18n/site-strings.ts';
import { admit } from '../api/access/admit-request.ts';
import { collectionStateOf, isDemoHost } from '../api/access/site-of-host.ts';
import { ApiError, toApiError } from '../api/api-error.ts';
import type { VisitedSite } from '../api/callers.ts';
import type { Context } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import type { AnswerKey } from '../api/response-cache.ts';
import { textsOf } from '../http/body.ts';
import { createContext } from '../http/create-context.ts';
import { memberCookie } from './cookie.ts';
import { maxPageParameterLength, type Page, type PageTexts, type Visit } from './page.ts';
import { readsOf } from './procedures.ts';

/** Returns the context of a visitor's request. Only the cookie identifies a member. */
export const visitorContext = (deps: Deps, request: FastifyRequest): Context => ({
  ...createContext(deps, request, 'site'),
  authorization: undefined,
  memberToken: memberCookie(request),
});

/** Finds the site of a request. Throws `not_found` if the host has no site. */
export async function visitedSite(ctx: Context, { raw }: FastifyRequest): Promise<VisitedSite> {
  raw.admission = await admit(ctx, { surface: 'site' });
  const { refusal, caller } = raw.admission;
  if (refusal) throw refusal;
  if (caller?.kind !== 'visitor') throw new Error('only visitors can call pages');
  return caller.site;
}

/**
 * Finds the site and the reader of a request. The reader is `anyone` if the request has no valid member token, or if
 * the page is anonymous. Throws `not_found` if the host has no site.
 */
export async function beginVisit(deps: Deps, request: FastifyRequest, page: Page): Promise<Visit> {
  const ctx = visitorContext(deps, request);
  if (page.isAnonymous) ctx.memberToken = undefined;
  const site = await visitedSite(ctx, request);
  const reader = ctx.memberToken ? await readsOf(ctx, site, [])('visitors.entitlements') : anyone;
  // A cached page must not become a member's who signs in while it is rendered.
  if (!reader.signedIn) ctx.memberToken = undefined;
  return { ...visitOf(ctx, site, page), reader, ...paramsOf(request, page) };
}

/**
 * Returns the parameters of a page's path and query, in Unicode NFC as the contract's query values are. Empty query
 * parameters are left out.
 */
export const paramsOf = (
  request: FastifyRequest,
  page: Pick<Page, 'query'>,
): Pick<Visit, 'params' | 'query'> => ({
  params: mapTable(textsOf(request.params), (value) => value.normalize()),
  query: Object.fromEntries(
    Object.entries(textsOf(request.query))
      .filter(([name]) => page.query?.includes(name))
      .map(([name, value]) => [name, storable(value.normalize())] as const)
      .filter(([, value]) => value !== ''),
  ),
});

export const visitOf = (ctx: Context, site: VisitedSite, page: Pick<Page, 'uses'>): Visit => ({
  site,
  origin: ownOriginOf(site, ctx.deps.config) ?? ctx.deps.config.publicUrl.origin,
  publicOrigin: ctx.deps.config.publicUrl.origin,
  reader: anyone,
  read: readsOf(ctx, site, page.uses),
  responses: ctx.deps.responses,
  strings: siteStrings(site.language),
  texts: createPageTexts(ctx.deps.markdown(site.id)),
  drawCard: (card) => ctx.deps.drawCard(site.id, card),
  isDemo: isDemoHost(ctx.deps, ctx.host),
  params: {},
  query: {},
});

/** Removes characters that PostgreSQL cannot store, NUL and half of a character at a cut. */
const storable = (text: string) => cutText(text.replaceAll('\0', ''), maxPageParameterLength);

/**
 * Throws `not_found` for an error of invalid input, because a page's only input is its URL. Throws any other error as it
 * is.
 */
export function leadNowhere(error: unknown): never {
  throw toApiError(error, false).status === 400 ? new ApiError('not_found') : error;
}

export const questionOf = (
  name: string,
  { params, query, reader, isDemo }: Pick<Visit, 'params' | 'query' | 'reader' | 'isDemo'>,
) => JSON.stringify([name, params, query, reader, ...(isDemo ? ['demo'] : [])]);

export function keyOf(site: VisitedSite, question: string, { uses }: Page): AnswerKey {
  const versions = uses.map((collection) => collectionStateOf(site, collection).version);
  return { question: `${site.id} ${question}`, version: `${versions.join(' ')} ${site.state}` };
}

/** Texts are rendered one after the other, so that a page with many texts does not delay other pages of its site. */
function createPageTexts(markdown: ReturnType<Deps['markdown']>): PageTexts {
  let isAnyPlain = false;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(
    content: string,
    nothing: T,
    make: (content: string) => Promise<{ made: T; isPlain: boolean }>,
  ): Promise<T> => {
    if (content === '') return Promise.resolve(nothing);
    const next = last
      .catch(() => {})
      .then(async () => {
        const { made, isPlain } = await make(content);
        isAnyPlain ||= isPlain;
        return made;
      });
    last = next;
    return next;
  };
  return {
    isAnyPlain: () => isAnyPlain,
    html: async (content) => (await inTurn(content, { html: '', excerpt: '' }, markdown.render)).html,
    excerpt: async (content, max = 200) => shortened(await inTurn(content, '', markdown.excerpt), max),
    firstParagraphs: (content) => inTurn(content, [], markdown.firstParagraphs),
    withAbsoluteUrls: (content, base) => inTurn(content, '', () => markdown.withAbsoluteUrls(content, base)),
  };
}
