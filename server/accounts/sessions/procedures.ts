import { Deleted } from '../../../shared/contract/envelopes.ts';
import { CurrentSession, LogIn, OwnerSession } from '../../../shared/contract/features/session.ts';
import { ownerCredential } from '../../api/access/procedures.ts';
import { admin, strictPost } from '../../api/access/route.ts';
import { throttleSignIn } from '../../api/limits/sign-in-throttle.ts';
import { deletes, router } from '../../api/trpc.ts';
import { factor, passkey, proof, requireFactor } from './factors/sign-in.ts';
import { calledBy, chosenOf, endSession, findOwner, ownerAs, startSession, wrongLogin } from './store.ts';

const at = { path: '/admin/session', tag: 'session' } as const;

const create = strictPost({ ...at, summary: 'Log in with email address and password' })
  .meta({ errors: ['unauthorized', 'second_factor_required', 'site_required'], audited: true })
  .input(LogIn)
  .use(async ({ ctx, input, next }) => {
    // The password is checked before the write, because that is slow, and because a retry must contain the password
    // too.
    const person = ownerAs(input.email);
    const owners = await throttleSignIn(ctx, person, () => findOwner(ctx, input));
    if (!owners) throw wrongLogin();
    await requireFactor(ctx, owners, input.site_id);
    const owner = chosenOf(ctx, owners);
    return next({ ctx: { owner, ...calledBy(owner, ownerCredential(owner.id)) } });
  })
  .output(OwnerSession)
  .mutation(({ ctx }) => startSession(ctx.deps, ctx.owner, ctx));

const get = admin
  .get({ ...at, area: 'account', summary: 'Get the current session' })
  .output(CurrentSession)
  .query(({ ctx: { session } }) => ({
    owner: { id: session.person_id, email: session.email, name: session.name },
    role: session.role,
    site: { id: session.site_id, name: session.site_name },
    expires_at: session.expires_at,
  }));

const remove = admin
  .del({ ...at, area: 'account', summary: 'Log out' })
  .output(Deleted)
  .mutation(deletes(({ ctx }) => endSession(ctx.deps, ctx.session, ctx.session.session_id)));

/** Procedures of the owner's session: sign-in, sign-out, and the current session. */
export const sessions = {
  admin: { session: router({ create, get, delete: remove, factor, passkey, proof }) },
};
