import { Created, Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  AcceptInvitation,
  InviteStaffMember,
  StaffMember,
  UpdateStaffMember,
} from '../../../shared/contract/features/people.ts';
import { OwnerSession } from '../../../shared/contract/features/session.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById, newRecordId } from '../../../shared/contract/record-id.ts';
import { bearerToken } from '../../api/access/credentials.ts';
import { findOwnerSession } from '../../api/access/owner-session.ts';
import { ownerProcedure } from '../../api/access/procedures.ts';
import { strictPost } from '../../api/access/route.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Context } from '../../api/context.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import { hashNew } from '../sessions/passwords.ts';
import { calledBy, ownerAs, startSession } from '../sessions/store.ts';
import {
  type AcceptInput,
  accept,
  type FoundInvitation,
  findAccount,
  findInvitation,
  invite,
  usedInvitation,
} from './invitations.ts';
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

/** Accepts an emailed invitation and signs the person in. */
const acceptInvitation = strictPost({
  path: '/admin/invitations/accept',
  tag: 'session',
  summary: 'Accept an emailed invitation with name and password, or with the session of an existing account',
})
  .meta({ errors: ['unauthorized', 'account_exists'], audited: true })
  .input(AcceptInvitation)
  .use(async ({ ctx, input: { token, ...chosen }, next }) => {
    const invitation = await findInvitation(ctx, token);
    // A retry with the same `Idempotency-Key` gets the first answer.
    if (!invitation || (invitation.is_used && !ctx.idempotency)) throw usedInvitation();
    const by = chosen.password === undefined ? await signedIn(ctx, invitation) : null;
    const person =
      chosen.password === undefined
        ? found(await findAccount(ctx.deps, invitation.email))
        : await newAccount(ctx, invitation, chosen.name ?? '', chosen.password);
    const { site_id, token_hash } = invitation;
    const call = calledBy({ ...person, site_id }, `invitation ${token_hash}`);
    return next({ ctx: { invitation, person, by, ...call } });
  })
  .output(OwnerSession)
  .mutation(async ({ ctx }) => {
    const { deps, invitation, person, siteId } = ctx;
    const role = await accept(deps, invitation, person);
    ctx.browser.remember(ownerAs(person.email));
    return startSession(deps, { ...person, site_id: siteId, role }, ctx);
  });

/** Returns the session of the invited account. Throws `unauthorized` without one. */
async function signedIn({ deps, authorization, host }: Context, { email }: FoundInvitation) {
  const session = await findOwnerSession(deps, bearerToken(authorization, 'svc_owner_'), host);
  if (session?.email !== email)
    throw new ApiError('unauthorized', 'sign in with the account of the invited email address');
  return session;
}

/** Prepares a new account. Its password is hashed before any row is locked. Throws `account_exists`. */
async function newAccount(
  { deps }: Context,
  { site_id, email, is_used }: FoundInvitation,
  name: string,
  password: string,
): Promise<AcceptInput> {
  if (!is_used && (await findAccount(deps, email))) throw new ApiError('account_exists');
  const id = newRecordId(deps.clock.now(), deps.randomBytes);
  return { id, email, name, password_hash: await hashNew(deps, site_id, password), isNew: true };
}

export const people = {
  admin: { invitations: router({ accept: acceptInvitation }) },
  studio: { people: studio },
};
