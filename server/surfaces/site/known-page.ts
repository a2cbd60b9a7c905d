import type { FastifyRequest } from 'fastify';
import type { VisitedSite } from '../../kernel/callers.ts';
import type { Deps } from '../../kernel/deps.ts';
import { type AnswerKey, keptThings } from '../../kernel/response-cache.ts';
import type { ClientReader } from '../http/client-address.ts';
import type { KnownAddress } from '../http/known-addresses.ts';
import type { Kept } from '../http/send-kept.ts';
import { hostName } from '../http/well-formed.ts';
import { hasMemberCookie } from './cookie.ts';
import { type ViewCounter, viewOf } from './count-views.ts';
import type { Page } from './page.ts';
import { keptPageHeaders } from './policy.ts';
import { askedOf, keyOf, stranger } from './visit.ts';

export const keptPages = keptThings<Kept>('page');

export interface PageSurroundings {
  deps: Deps;
  client: ClientReader;
  countView: ViewCounter;
}

/** What is known of the address of a page once it was answered from memory, to anybody: for all who are not signed in. */
export function knownPage(
  { deps, client, countView }: PageSurroundings,
  { name, page }: { name: string; page: Page },
  asked: FastifyRequest,
): KnownAddress {
  const { params, query } = askedOf(asked, page);
  const view = page.isAnonymous ? null : viewOf(asked);
  // Of a site as one query found it, which the requests of a moment share.
  const keys = new WeakMap<VisitedSite, AnswerKey>();
  const keyAt = (site: VisitedSite) => {
    const key = keys.get(site) ?? keyOf(name, { site, params, query, reader: stranger }, page);
    keys.set(site, key);
    return key;
  };
  return {
    route: name,
    tier: 'site',
    question: JSON.stringify([params, query, view]),
    isPlain: ({ headers }) => page.isAnonymous === true || !hasMemberCookie(headers),
    answerTo({ headers }, found) {
      found.site = deps.findVisitedSite(hostName(headers.host));
      return found.site.then((site) => {
        const kept = site && keptPages.peek(deps.responses, keyAt(site));
        return kept ? { kept, head: strangersHead } : undefined;
      });
    },
    afterAnswer(request, requestId) {
      const { headers, found } = request;
      found?.site?.then((site) => {
        if (site && view)
          countView({ siteId: site.id, requestId, client: client.addressOf(request), view, headers });
      });
    },
  };
}

const strangersHead = Object.entries(keptPageHeaders(false)).flat();
