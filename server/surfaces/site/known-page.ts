import type { FastifyRequest } from 'fastify';
import { anyone } from '../../kernel/callers.ts';
import type { Deps } from '../../kernel/deps.ts';
import { keptThings } from '../../kernel/response-cache.ts';
import type { ClientReader } from '../http/client-address.ts';
import type { KnownAddress } from '../http/known-addresses.ts';
import type { Kept } from '../http/send-kept.ts';
import { hostName } from '../http/well-formed.ts';
import { hasMemberCookie } from './cookie.ts';
import { type ViewCounter, viewOf } from './count-views.ts';
import type { Page } from './page.ts';
import { keptPageHeaders } from './policy.ts';
import { askedOf, keyOf, questionOf } from './visit.ts';

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
  const question = questionOf(name, { ...askedOf(asked, page), reader: anyone });
  const view = page.isAnonymous ? null : viewOf(asked);
  return {
    route: name,
    tier: 'site',
    question,
    isPlain: ({ headers }) => page.isAnonymous === true || !hasMemberCookie(headers),
    answerTo({ headers }, found) {
      found.site = deps.findVisitedSite(hostName(headers.host));
      return found.site.then((site) => {
        const kept = site && keptPages.peek(deps.responses, keyOf(site, question, page));
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
