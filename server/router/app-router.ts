import { analyticsSite } from '../features/analytics/site.ts';
import { analyticsStudio } from '../features/analytics/studio.ts';
import { analyticsV2 } from '../features/analytics/v2.ts';
import { apiKeysAdmin } from '../features/api-keys/admin.ts';
import { audienceSite } from '../features/audience/site.ts';
import { audienceStudio } from '../features/audience/studio.ts';
import { auditStudio } from '../features/audit/studio.ts';
import { previewStudio } from '../features/bodies/studio.ts';
import { curriculumStudio } from '../features/curriculum/studio.ts';
import { eventsV1 } from '../features/events/v1.ts';
import { mediaStudio } from '../features/media/studio.ts';
import { mediaV2 } from '../features/media/v2.ts';
import { membersSite } from '../features/members/site.ts';
import { membersStudio } from '../features/members/studio.ts';
import { membersV2 } from '../features/members/v2.ts';
import { movingStudio } from '../features/moving/studio.ts';
import { profileStudio } from '../features/profile/studio.ts';
import { profileV1 } from '../features/profile/v1.ts';
import { trashStudio } from '../features/records/trash-studio.ts';
import { redirectsStudio } from '../features/redirects/studio.ts';
import { sessionAdmin } from '../features/sessions/admin.ts';
import { siteStudio } from '../features/sites/studio.ts';
import { webhooksAdmin } from '../features/webhooks/admin.ts';
import { webhooksV2 } from '../features/webhooks/v2.ts';
import { router } from '../kernel/trpc.ts';
import { contentOn } from './content.ts';

/** Every procedure of the service. RPC, REST, the OpenAPI document and the client's types are made from it. */
export const appRouter = router({
  v1: router({ profile: profileV1, ...contentOn('v1'), events: eventsV1 }),
  v2: router({
    ...contentOn('v2'),
    members: membersV2,
    analytics: analyticsV2,
    webhooks: webhooksV2,
    media: mediaV2,
  }),
  admin: router({ session: sessionAdmin, apiKeys: apiKeysAdmin, webhooks: webhooksAdmin }),
  studio: router({
    ...contentOn('studio'),
    ...curriculumStudio,
    ...audienceStudio,
    profile: profileStudio,
    site: siteStudio,
    members: membersStudio,
    analytics: analyticsStudio,
    preview: previewStudio,
    trash: trashStudio,
    audit: auditStudio,
    media: mediaStudio,
    redirects: redirectsStudio,
    moving: movingStudio,
  }),
  site: router({ ...audienceSite, members: membersSite, analytics: analyticsSite }),
});

export type AppRouter = typeof appRouter;
