import { profileAssistants } from '../features/profile/assistants.ts';
import { draftsAssistants } from '../features/records/drafts.ts';
import { router } from '../kernel/trpc.ts';

/** Procedures that assistants call as tools besides those of the API; served over nothing else. */
export const assistantsRouter = router({
  assistants: router({ drafts: draftsAssistants, profile: profileAssistants }),
});
