import type { FastifyInstance } from 'fastify';
import { firstSegment, reservedSegments } from '../../../shared/contract/site-paths.ts';

/** Fails at the start when a route is added whose place a custom page could take. Belongs before all routes. */
export function requireReservedPaths(app: FastifyInstance) {
  app.addHook('onRoute', ({ url }) => {
    const first = firstSegment(url);
    if (first === '' || first.startsWith(':') || first.startsWith('*') || reservedSegments.has(first)) return;
    throw new Error(
      `${url}: name ${first} in shared/contract/site-paths.ts, or a custom page may take its place`,
    );
  });
}
