import { analyticsSite } from './analytics/site.ts';
import { analyticsV2 } from './analytics/v2.ts';
import { apiKeysAdmin } from './api-keys/admin.ts';
import { audienceSite } from './audience/site.ts';
import { audienceStudio } from './audience/studio.ts';
import { contentStudio } from './content/studio.ts';
import { contentV1 } from './content/v1.ts';
import { contentV2 } from './content/v2.ts';
import { curriculumStudio } from './curriculum/studio.ts';
import { eventsV1 } from './events/v1.ts';
import { membersSite } from './members/site.ts';
import { membersStudio } from './members/studio.ts';
import { membersV2 } from './members/v2.ts';
import { profileV1 } from './profile/v1.ts';
import { sessionAdmin } from './session/admin.ts';
import { siteStudio } from './site/studio.ts';
import { router } from './trpc.ts';
import { webhooksAdmin } from './webhooks/admin.ts';
import { webhooksV2 } from './webhooks/v2.ts';

/** Every procedure of the service. RPC, REST, the OpenAPI document and the client's types are made from it. */
export const appRouter = router({
  v1: router({ profile: profileV1, ...contentV1, events: eventsV1 }),
  v2: router({ ...contentV2, members: membersV2, analytics: analyticsV2, webhooks: webhooksV2 }),
  admin: router({ session: sessionAdmin, apiKeys: apiKeysAdmin, webhooks: webhooksAdmin }),
  studio: router({
    ...contentStudio,
    ...curriculumStudio,
    ...audienceStudio,
    ...siteStudio,
    members: membersStudio,
  }),
  site: router({ ...audienceSite, members: membersSite, analytics: analyticsSite }),
});

export type AppRouter = typeof appRouter;
