import { mergeRouters, router } from '../trpc.ts';
import { proceduresOn } from './features.ts';

// `profile` and `newsletter` come first in the documentation.
const { profile, ...v1 } = proceduresOn('v1');
const { newsletter, ...site } = proceduresOn('site');

/**
 * Procedures of the API, which RPC, REST, the OpenAPI document and the client's types have in common. Uploads, and
 * procedures for assistants or pages only, have routers of their own.
 */
export const appRouter = router({
  v1: router({ profile, ...v1 }),
  v2: router(proceduresOn('v2')),
  admin: router(proceduresOn('admin')),
  studio: router(proceduresOn('studio')),
  site: router({ newsletter, ...site }),
});

export type AppRouter = typeof appRouter;

/** Procedures that take files, which neither the JSON of RPC nor that of tools can contain: served over REST only. */
export const uploadsRouter = router({ uploads: router(proceduresOn('uploads')) });

/** Procedures of the API and of file uploads, including every one with a REST path. */
export const restRouter = mergeRouters(appRouter, uploadsRouter);

/** Tools of assistants that are not part of the API; served over MCP only. */
export const assistantsRouter = router({ assistants: router(proceduresOn('assistants')) });

/** Procedures for the pages of the public site that are not part of the API; served to pages only. */
export const visitorsRouter = router({ visitors: router(proceduresOn('visitors')) });

export type VisitorsRouter = typeof visitorsRouter;
