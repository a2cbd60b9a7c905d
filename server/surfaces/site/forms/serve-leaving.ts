import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sitePaths } from '../../../../shared/contract/site-paths.ts';
import { wordsOf } from '../../../../shared/words/words.ts';
import { ApiError } from '../../../kernel/api-error.ts';
import type { Deps } from '../../../kernel/deps.ts';
import { pageHeaders } from '../policy.ts';
import { callsOf, type OutputOf } from '../procedures.ts';
import { textsOf } from '../texts-of.ts';
import { barePage } from '../views/bare-page.ts';
import { renderInLayout } from '../views/layout.ts';
import { layoutCollections } from '../views/layout-data.ts';
import { leaving, left } from '../views/leaving.ts';
import { visitOf, visitorContext } from '../visit.ts';

/** Longest that a mail program may say: one field, in parts or not. */
const longestBytes = 4_096;

/** Who has the address may leave with it: nothing keeps the page, and no link that is followed from it names it. */
const headers = {
  ...pageHeaders,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/**
 * Where the links at the end of letters lead, at whichever host: looking changes nothing, sending the form does. Mail programs send
 * it, too (RFC 8058), without a cookie and from any origin; many of them from one address, so what is called counts it by its token.
 */
export function serveLeaving(app: FastifyInstance, deps: Deps) {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer', bodyLimit: longestBytes },
    (_request, _body, done) => done(null, undefined),
  );

  app.get(sitePaths.unsubscribe, { config: { tier: 'site' } }, async (request, reply) => {
    const call = callsOf(visitorContext(deps, request));
    return show(leaving, await call('visitors.leaving', givenToken(request)), { request, reply });
  });

  app.post(sitePaths.unsubscribe, async (request, reply) => {
    const given = givenToken(request);
    const call = callsOf(visitorContext(deps, request));
    await call('site.newsletter.unsubscribe', given);
    return show(left, await call('visitors.leaving', given), { request, reply });
  });

  /** In the layout of the site where the host is its own: its links lead nowhere else. */
  async function show(
    view: typeof leaving,
    { id, name, language }: OutputOf<'visitors.leaving'>,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  ) {
    const ctx = { ...visitorContext(deps, request), memberToken: undefined };
    const words = wordsOf(language);
    const page = view(words, name);
    const host = await deps.findVisitedSite(ctx.host);
    const isOwn = host?.id === id;
    const body = isOwn
      ? (
          await renderInLayout(visitOf(ctx, host, { uses: layoutCollections }), async () => ({
            ...page,
            path: sitePaths.newsletter,
            kind: 'message',
            hidden: true,
          }))
        ).body
      : String(await barePage(deps, words, page));
    return reply.headers(headers).type('text/html; charset=utf-8').send(body);
  }
}

/** One that is too long is none. */
function givenToken({ params }: FastifyRequest) {
  const { token = '' } = textsOf(params);
  if (token.length > 200) throw new ApiError('not_found');
  return { token };
}
