import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { TrackView } from '../../shared/contract/features/analytics.ts';
import type { Deps } from '../api/deps.ts';
import { textsOf } from '../http/body.ts';
import { hostName } from '../http/request-target.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Site of the requested page; null for other requests. */
    visitedSiteId: string | null;
  }
  interface FastifyContextConfig {
    isView?: boolean;
  }
}

const View = TrackView.omit({ referrer: true });

type View = z.infer<typeof View>;

interface ViewedPage {
  siteId: string;
  requestId: string;
  /** Address of the client, in the form that rate limits count. */
  client: string;
  view: View;
  headers: IncomingHttpHeaders;
}

/** Counts a view in the background. */
export type ViewCounter = (viewed: ViewedPage) => void;

/**
 * Counts views after their responses are sent. Must be registered before the routes. Views of responses that bypass the
 * routes must be passed to the returned function.
 */
export function countViews(app: FastifyInstance, deps: Deps): ViewCounter {
  const underWay = new Set<Promise<void>>();
  const count: ViewCounter = (viewed) => {
    if (isAhead(viewed)) return;
    const counted = track(deps, viewed).catch((error: unknown) =>
      deps.logger.child({ request_id: viewed.requestId }).warn({ err: error }, 'counting a page view failed'),
    );
    underWay.add(counted);
    counted.finally(() => underWay.delete(counted));
  };
  app.decorateRequest('visitedSiteId', null);
  app.addHook('onResponse', (request, reply, done) => {
    const { visitedSiteId: siteId, id: requestId, client, headers } = request;
    const wasSeen = reply.statusCode === 200 || reply.statusCode === 304;
    if (siteId !== null && wasSeen && request.method === 'GET' && request.routeOptions.config.isView) {
      const view = viewOf(request);
      if (view) count({ siteId, requestId, client, view, headers });
    }
    done();
  });
  app.addHook('onClose', async () => void (await Promise.all(underWay)));
  return count;
}

/** Returns whether a browser prefetches the page. */
const isAhead = ({ headers }: ViewedPage) =>
  /prefetch|prerender/i.test(`${headers['sec-purpose'] ?? ''}${headers.purpose ?? ''}`);

/** Returns path and UTM parameters of a request, for counting its view; null if they are too long or otherwise invalid. */
export function viewOf({ url, query }: FastifyRequest): View | null {
  const { utm_source, utm_medium, utm_campaign } = textsOf(query);
  const [path] = url.split('?', 1);
  return View.safeParse({ path, utm_source, utm_medium, utm_campaign }).data ?? null;
}

async function track(deps: Deps, { siteId, client, view, headers }: ViewedPage): Promise<void> {
  const { success, data: referrer } = TrackView.shape.referrer.safeParse(headers.referer);
  if (!success) return;
  await deps.tracker.track(
    { deps, siteId, client, host: hostName(headers.host), userAgent: headers['user-agent'] },
    { ...view, referrer },
  );
}
