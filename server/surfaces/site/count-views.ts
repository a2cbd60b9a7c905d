import type { FastifyInstance, FastifyRequest } from 'fastify';
import { TrackView } from '../../../shared/contract/analytics.ts';
import type { Deps } from '../../kernel/deps.ts';
import { logOf } from '../http/answered.ts';
import { hostName } from '../http/well-formed.ts';
import { textsOf } from './texts-of.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The site whose page was asked for; null for anything else. */
    visitedSiteId: string | null;
  }
  interface FastifyContextConfig {
    /** Whether an answer counts as a view. */
    isView?: boolean;
  }
}

/** Counts views once their answers are sent, so that nobody waits for it. Belongs before the routes. */
export function countViews(app: FastifyInstance, deps: Deps) {
  const underWay = new Set<Promise<void>>();
  app.decorateRequest('visitedSiteId', null);
  app.addHook('onResponse', (request, reply, done) => {
    const wasSeen = reply.statusCode === 200 || reply.statusCode === 304;
    if (wasSeen && request.method === 'GET' && request.routeOptions.config.isView && !isAhead(request)) {
      const counted: Promise<void> = count(deps, request).catch((error: unknown) =>
        logOf(request).warn({ err: error }, 'a view was not counted'),
      );
      underWay.add(counted);
      counted.finally(() => underWay.delete(counted));
    }
    done();
  });
  app.addHook('onClose', async () => void (await Promise.all(underWay)));
}

/** Asked for by a browser that guesses where its reader goes next. */
const isAhead = ({ headers }: FastifyRequest) =>
  /prefetch|prerender/i.test(`${headers['sec-purpose'] ?? ''}${headers.purpose ?? ''}`);

async function count(deps: Deps, request: FastifyRequest): Promise<void> {
  const { headers, client, visitedSiteId: siteId } = request;
  const { utm_source, utm_medium, utm_campaign } = textsOf(request.query);
  const [path] = request.url.split('?', 1);
  const view = TrackView.safeParse({ path, referrer: headers.referer, utm_source, utm_medium, utm_campaign });
  if (siteId === null || !view.success) return;
  await deps.tracker.track(
    { deps, siteId, client, host: hostName(headers.host), userAgent: headers['user-agent'] },
    view.data,
  );
}
