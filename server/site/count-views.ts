import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { TrackView } from '../../shared/contract/features/analytics.ts';
import type { Deps } from '../api/deps.ts';
import { textsOf } from '../http/body.ts';
import { hostName } from '../http/well-formed.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The site whose page was asked for; null for anything else. */
    visitedSiteId: string | null;
  }
  interface FastifyContextConfig {
    isView?: boolean;
  }
}

const View = TrackView.omit({ referrer: true });

type View = z.infer<typeof View>;

interface Viewed {
  siteId: string;
  requestId: string;
  /** The client's address as limits count it. */
  client: string;
  view: View;
  headers: IncomingHttpHeaders;
}

/** Counts a view while nobody waits for it. */
export type ViewCounter = (viewed: Viewed) => void;

/**
 * Counts views once their answers are sent. Belongs before the routes; views of answers that were sent without them are
 * to be given to the returned function.
 */
export function countViews(app: FastifyInstance, deps: Deps): ViewCounter {
  const underWay = new Set<Promise<void>>();
  const count: ViewCounter = (viewed) => {
    if (isAhead(viewed)) return;
    const counted = track(deps, viewed).catch((error: unknown) =>
      deps.logger.child({ request_id: viewed.requestId }).warn({ err: error }, 'a view was not counted'),
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

/** Asked for by a browser that guesses where its reader goes next. */
const isAhead = ({ headers }: Viewed) =>
  /prefetch|prerender/i.test(`${headers['sec-purpose'] ?? ''}${headers.purpose ?? ''}`);

/** Null where the address is none that is counted. */
export function viewOf({ url, query }: FastifyRequest): View | null {
  const { utm_source, utm_medium, utm_campaign } = textsOf(query);
  const [path] = url.split('?', 1);
  return View.safeParse({ path, utm_source, utm_medium, utm_campaign }).data ?? null;
}

async function track(deps: Deps, { siteId, client, view, headers }: Viewed): Promise<void> {
  const { success, data: referrer } = TrackView.shape.referrer.safeParse(headers.referer);
  if (!success) return;
  await deps.tracker.track(
    { deps, siteId, client, host: hostName(headers.host), userAgent: headers['user-agent'] },
    { ...view, referrer },
  );
}
