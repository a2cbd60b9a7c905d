import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  ApproveAssistant,
  Assistant,
  AssistantAnswer,
  AssistantRequest,
  UpdateAssistant,
} from '../../../shared/contract/features/assistants.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import { listAssistants, revokeAssistant, updateAssistant } from './grants.ts';
import { approve, deny, getRequest } from './requests.ts';

/** All staff connect assistants with at most their own rights. Owners see the assistants of everyone. */
const staff = staffProcedure('account');
const proved = staff.meta({ needsProof: true });

export const signedInAssistants = {
  studio: {
    assistants: router({
      request: staff
        .meta({ errors: ['site_required', 'mcp_disabled', 'insufficient_scope'] })
        .input(ById)
        .output(AssistantRequest)
        .query(({ ctx, input }) => getRequest(ctx, input.id)),
      approve: proved
        .meta({ errors: ['mcp_disabled', 'insufficient_scope'] })
        .input(ApproveAssistant)
        .output(AssistantAnswer)
        .mutation(({ ctx, input }) => approve(ctx, input)),
      deny: staff
        .input(ById)
        .output(AssistantAnswer)
        .mutation(({ ctx, input }) => deny(ctx, input.id)),
      list: staff
        .output(simpleList(Assistant))
        .query(async ({ ctx }) => ({ data: await listAssistants(ctx) })),
      update: proved
        .input(UpdateAssistant)
        .output(Updated)
        .mutation(updates(({ ctx, input }) => updateAssistant(ctx, input))),
      revoke: staff
        .input(ById)
        .output(Deleted)
        .mutation(deletes(({ ctx, input }) => revokeAssistant(ctx, input.id))),
    }),
  },
};
