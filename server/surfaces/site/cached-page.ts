import type { FastifyRequest } from 'fastify';
import { anyone } from '../../../shared/paywall/reader.ts';
import type { Deps } from '../../kernel/deps.ts';
import { cachedValues } from '../../kernel/response-cache.ts';
import type { Representation } from '../http/answer.ts';
import type { ClientReader } from '../http/client-address.ts';
import type { CachedAddress } from '../http/front.ts';
import { hasMemberCookie } from './cookie.ts';
import { type ViewCounter, viewOf } from './count-views.ts';
import type { Page } from './page.ts';
import { keyOf, paramsOf, questionOf } from './visit.ts';

export const cachedPages = cachedValues<Representation>('page');

export interface CachedPageDeps {
  deps: Deps;
  client: ClientReader;
  countView: ViewCounter;
}

/** The address of a page, once it was answered from memory, to anybody: for all who are not signed in. */
export function cachedPage(
  { deps, client, countView }: CachedPageDeps,
  { name, page }: { name: string; page: Page },
  asked: FastifyRequest,
): CachedAddress {
  const question = questionOf(name, { ...paramsOf(asked, page), reader: anyone });
  const view = page.isAnonymous ? null : viewOf(asked);
  return {
    route: name,
    tier: 'site',
    surface: 'site',
    question,
    isPlain: ({ headers }) => page.isAnonymous === true || !hasMemberCookie(headers),
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
