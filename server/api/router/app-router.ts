import { mergeRouters, router } from '../trpc.ts';
import { proceduresOn } from './features.ts';

// Documentation begins with these.
const { profile, ...v1 } = proceduresOn('v1');
const { newsletter, ...site } = proceduresOn('site');

/** Every procedure of the service. RPC, REST, the OpenAPI document and the client's types are made from it. */
export const appRouter = router({
  v1: router({ profile, ...v1 }),
  v2: router(proceduresOn('v2')),
  admin: router(proceduresOn('admin')),
  studio: router(proceduresOn('studio')),
  site: router({ newsletter, ...site }),
});

export type AppRouter = typeof appRouter;

/** Procedures that take files, which neither the JSON of RPC nor that of tools can carry: served over REST alone. */
export const uploadsRouter = router({ uploads: router(proceduresOn('uploads')) });

/** Every procedure that has a REST path, among others. */
export const restRouter = mergeRouters(appRouter, uploadsRouter);

/** Procedures that assistants call as tools besides those of the API; served over nothing else. */
export const assistantsRouter = router({ assistants: router(proceduresOn('assistants')) });

/** Procedures that the pages of the public site call besides those of the API; served over nothing else. */
export const visitorsRouter = router({ visitors: router(proceduresOn('visitors')) });

export type VisitorsRouter = typeof visitorsRouter;
