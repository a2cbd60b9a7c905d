import { apiKeysAdmin } from './api-keys/admin.ts';
import { contentV1 } from './content/v1.ts';
import { eventsV1 } from './events/v1.ts';
import { profileV1 } from './profile/v1.ts';
import { sessionAdmin } from './session/admin.ts';
import { router } from './trpc.ts';
import { webhooksAdmin } from './webhooks/admin.ts';
import { webhooksV2 } from './webhooks/v2.ts';

/** Every procedure of the service. RPC, REST, the OpenAPI document and the client's types are made from it. */
export const appRouter = router({
  v1: router({ profile: profileV1, ...contentV1, events: eventsV1 }),
  v2: router({ webhooks: webhooksV2 }),
  admin: router({ session: sessionAdmin, apiKeys: apiKeysAdmin, webhooks: webhooksAdmin }),
});

export type AppRouter = typeof appRouter;
