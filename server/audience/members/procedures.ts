import { z } from 'zod';
import { mailboxOf } from '../../../shared/contract/email.ts';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  Member,
  memberFilters,
  RequestCode,
  SignedIn,
  SignIn,
  UpdateMember,
} from '../../../shared/contract/features/member.ts';
import { listInput } from '../../../shared/contract/list-input.ts';
import { namesOf } from '../../../shared/contract/names-of.ts';
import { numberedPage, pageQuery, partQuery } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { keyProcedure, siteProcedure, staffProcedure } from '../../api/access/procedures.ts';
import { get } from '../../api/access/route.ts';
import { toExport } from '../../api/access/transfer-tickets.ts';
import { ApiError } from '../../api/api-error.ts';
import { countMailed, throttleSignIn } from '../../api/limits/sign-in-throttle.ts';
import { sparse } from '../../api/sparse-fields.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import { endMemberSession, findMember, getSignedIn } from './member-session.ts';
import { requestCode, signIn } from './sign-in.ts';
import { getMember, listMembers, updateMember } from './store.ts';

const membersInput = listInput(pageQuery, memberFilters, namesOf(Member));

/** Owners also search by a part of an address or a name. */
const ownMembersInput = listInput({ ...pageQuery, q: partQuery }, memberFilters, namesOf(Member));

/** Returns the subject of a member in rate limits. */
const personOf = (siteId: string, email: string) => `member ${siteId}/${email}`;

const strict = siteProcedure.meta({ tier: 'strict' });

/** Sign-in of members (docs/reference/members.md). */
const site = router({
  requestCode: strict
    .meta({ reachesOut: true })
    .input(RequestCode)
    .output(z.strictObject({}))
    .mutation(async ({ ctx, input: { email, name, challenge } }) => {
      const { deps, siteId } = ctx;
      await countMailed(ctx, personOf(siteId, email), { email, mailbox: `${siteId}/${mailboxOf(email)}` });
      await requestCode(deps, { siteId, email, challenge }, name ?? '');
      return {};
    }),
  signIn: strict
    .input(SignIn)
    .output(SignedIn)
    .mutation(async ({ ctx, input: { code, ...request } }) => {
      const { deps, siteId } = ctx;
      const person = personOf(siteId, request.email);
      const outcome = await throttleSignIn(ctx, person, () => signIn(deps, { siteId, ...request }, code));
      // The attempt stays counted; otherwise codes could be guessed without limit.
      if (!outcome?.session)
        throw new ApiError('unauthorized', 'wrong or expired code', { keepsWrites: true });
      ctx.browser.remember(person);
      return outcome.session;
    }),
  get: siteProcedure.output(Member).query(async ({ ctx }) => {
    const { id } = await getSignedIn(ctx);
    return getMember(ctx.deps, ctx.siteId, id);
  }),
  signOut: siteProcedure.output(Deleted).mutation(
    deletes(async ({ ctx }) => {
      const { session_id } = await getSignedIn(ctx);
      await endMemberSession(ctx.deps, ctx.siteId, session_id);
    }),
  ),
});

const staff = staffProcedure('audience');

const studio = router({
  list: staff
    .input(ownMembersInput)
    .output(numberedPage(sparse(Member)))
    .query(({ ctx, input }) => listMembers(ctx.deps, ctx.siteId, input)),
  get: staff
    .input(ById)
    .output(Member)
    .query(({ ctx, input }) => getMember(ctx.deps, ctx.siteId, input.id)),
  update: staff
    .meta({ conditional: true })
    .input(UpdateMember)
    .output(Updated)
    .mutation(updates(({ ctx, input }) => updateMember(ctx, input))),
  export: toExport('members'),
});

const v2 = router({
  list: get({
    path: '/v2/members',
    scope: 'read:members',
    tag: 'members',
    mcp: { name: 'list_members', resource: 'members' },
    summary: 'List members',
  })
    .input(membersInput)
    .output(numberedPage(sparse(Member)))
    .query(({ ctx, input }) => listMembers(ctx.deps, ctx.siteId, input)),
});

/** Signed-in member who reads the page; null for other visitors. */
const signedInMember = keyProcedure
  .meta({ scope: 'read' })
  .output(
    z.strictObject({
      member: z.strictObject({ email: z.string(), open_tiers: z.array(z.string()) }).nullable(),
    }),
  )
  .query(async ({ ctx }) => {
    const found = await findMember(ctx);
    return { member: found && { email: found.email, open_tiers: found.tiers } };
  });

export const members = {
  v2: { members: v2 },
  studio: { members: studio },
  site: { members: site },
  visitors: { member: signedInMember },
};
