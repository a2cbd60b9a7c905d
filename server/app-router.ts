import { contentV1 } from './content/v1.ts';
import { profileV1 } from './profile/v1.ts';
import { router } from './trpc.ts';

/** Every procedure of the service. RPC, REST, the OpenAPI document and the client's types are made from it. */
export const appRouter = router({
  v1: router({ profile: profileV1, ...contentV1 }),
});

export type AppRouter = typeof appRouter;
