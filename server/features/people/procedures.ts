import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  InviteStaffMember,
  StaffMember,
  UpdateStaffMember,
} from '../../../shared/contract/features/people.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { ownerProcedure } from '../../access/procedures.ts';
import { deletes, router, updates } from '../../kernel/trpc.ts';
import { acceptInvitation } from './acceptance.ts';
import { invite } from './invitations.ts';
import { changeRole, listPeople, removePerson } from './store.ts';

const proved = ownerProcedure.meta({ needsProof: true });

const studio = router({
  list: ownerProcedure
    .output(simpleList(StaffMember))
    .query(async ({ ctx }) => ({ data: await listPeople(ctx) })),
  invite: proved
    .input(InviteStaffMember)
    .output(Created)
    .mutation(({ ctx, input }) => invite(ctx, input)),
  update: proved
    .meta({ errors: ['last_owner'] })
    .input(UpdateStaffMember)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => changeRole(ctx, input))),
  remove: proved
    .meta({ errors: ['last_owner'] })
    .input(ById)
    .output(Deleted)
    .mutation(deletes(({ ctx, input }) => removePerson(ctx, input.id))),
});

/** Who works on a site, and as what. */
export const people = {
  admin: { invitations: router({ accept: acceptInvitation }) },
  studio: { people: studio },
};
