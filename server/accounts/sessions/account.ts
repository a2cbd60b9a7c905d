import { z } from 'zod';
import { Deleted, Updated } from '../../../shared/contract/envelopes.ts';
import {
  ChangeEmail,
  ChangePassword,
  ConfirmEmail,
  RenamePerson,
  RequestPasswordReset,
  ResetPassword,
  SignedInSession,
} from '../../../shared/contract/features/account.ts';
import { OwnerSession, OwnSite } from '../../../shared/contract/features/session.ts';
import { simpleList } from '../../../shared/contract/pagination.ts';
import { ById } from '../../../shared/contract/record-id.ts';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import { staffProcedure } from '../../api/access/procedures.ts';
import { strictCommand } from '../../api/access/route.ts';
import { found } from '../../api/api-error.ts';
import { count } from '../../api/limits/count.ts';
import { countMailed } from '../../api/limits/sign-in-throttle.ts';
import { deletes, router, updates } from '../../api/trpc.ts';
import { findEmailChange, requestEmailChange, spentEmailChange, useEmailChange } from './email-change.ts';
import { factors } from './factors/procedures.ts';
import {
  changePassword,
  findReset,
  hashNew,
  hashOfCurrent,
  requestReset,
  usedReset,
  useReset,
} from './passwords.ts';
import {
  calledBy,
  endOtherSessions,
  endSession,
  findWork,
  listOwnSites,
  listSessions,
  ownerAs,
  renamePerson,
  startSession,
} from './store.ts';

const at = { path: '/admin/password-reset', tag: 'session' } as const;

const request = strictCommand({ ...at, summary: 'Request an email with a link to reset the password' })
  .meta({ status: 202, changesNothing: true })
  .input(RequestPasswordReset)
  .output(z.strictObject({}))
  .mutation(async ({ ctx, input: { email } }) => {
    await countMailed(ctx, ownerAs(email), { email: ownerAs(email), mailbox: ownerAs(email) });
    await requestReset(ctx.deps, email);
    return {};
  });

const confirm = strictCommand({
  ...at,
  path: '/admin/password-reset/confirm',
  summary: 'Set a new password with the token from the emailed link; ends all sessions',
})
  .meta({ errors: ['unauthorized'], audited: true })
  .input(ResetPassword)
  .use(async ({ ctx, input, next }) => {
    const reset = await findReset(ctx, input.token);
    if (!reset) throw usedReset();
    const passwordHash = await hashNew(ctx.deps, reset.site_id, input.password);
    return next({ ctx: { reset, passwordHash, ...calledBy(reset, `reset ${reset.token_hash}`) } });
  })
  .output(Updated)
  .mutation(updates(({ ctx }) => useReset(ctx.deps, ctx.reset, ctx.passwordHash)));

const staff = staffProcedure('account');

const change = staff
  .meta({ needsProof: true })
  .input(ChangePassword)
  .use(async ({ ctx, input, next }) => {
    const current = await hashOfCurrent(ctx, input.current);
    return next({ ctx: { hashes: { current, next: await hashNew(ctx.deps, ctx.siteId, input.password) } } });
  })
  .output(Updated)
  .mutation(updates(({ ctx }) => changePassword(ctx.deps, ctx.session, ctx.hashes)));

const rename = staff
  .input(RenamePerson)
  .output(Updated)
  .mutation(updates(({ ctx, input }) => renamePerson(ctx.deps, ctx.session, input.name)));

const changeEmail = staff
  .meta({ needsProof: true })
  .input(ChangeEmail)
  .use(async ({ ctx, input, next }) => {
    const hash = await hashOfCurrent(ctx, input.current);
    // Counts requests by the new address, so that its mailbox cannot be filled with confirmation links.
    await count(ctx.deps.limiter, ctx.decisions, { tier: 'codes_mailbox', subject: ownerAs(input.email) });
    return next({ ctx: { hash } });
  })
  .output(Updated)
  .mutation(
    updates(({ ctx, input }) =>
      requestEmailChange(ctx.deps, ctx.session, { email: input.email, password_hash: ctx.hash }),
    ),
  );

const confirmEmail = strictCommand({
  path: '/admin/email/confirm',
  tag: 'session',
  summary: 'Confirm a new email address with the token from the emailed link',
})
  .meta({ errors: ['unauthorized', 'account_exists'], audited: true })
  .input(ConfirmEmail)
  .use(async ({ ctx, input, next }) => {
    const emailChange = await findEmailChange(ctx, input.token);
    if (!emailChange) throw spentEmailChange();
    const person = { ...emailChange, id: emailChange.personId };
    return next({ ctx: { emailChange, ...calledBy(person, `email change ${hashSecret(input.token)}`) } });
  })
  .output(Updated)
  .mutation(updates(({ ctx }) => useEmailChange(ctx.deps, ctx.emailChange)));

const list = staff
  .output(simpleList(SignedInSession))
  .query(async ({ ctx }) => ({ data: await listSessions(ctx.deps, ctx.session) }));

const end = staff
  .input(ById)
  .output(Deleted)
  .mutation(deletes(({ ctx, input }) => endSession(ctx.deps, ctx.session, input.id)));

const endOthers = staff
  .input(z.strictObject({}).prefault({}))
  .output(Deleted)
  .mutation(deletes(({ ctx }) => endOtherSessions(ctx.deps, ctx.session)));

const sites = staff
  .output(simpleList(OwnSite))
  .query(async ({ ctx }) => ({ data: await listOwnSites(ctx, ctx.session) }));

/** Starts a session on another site, with the audit entry there. The current session stays valid. */
const enter = staff
  .input(ById)
  .use(async ({ ctx, input, next }) => {
    const [work] = await findWork(ctx, ctx.session.person_id, input.id);
    const owner = found(work);
    return next({ ctx: { owner, siteId: owner.site_id } });
  })
  .output(OwnerSession)
  .mutation(({ ctx }) => {
    const { deps, owner, session } = ctx;
    return startSession(deps, owner, { ...ctx, proved_at: session.proved_at, by: session });
  });

/** Procedures of an account: name, password, email address, second factors, sessions and sites. */
export const account = {
  admin: { passwordReset: router({ request, confirm }), email: router({ confirm: confirmEmail }) },
  studio: {
    account: router({ rename, changePassword: change, changeEmail }),
    factors,
    sessions: router({ list, end, endOthers }),
    sites: router({ list: sites, enter }),
  },
};
