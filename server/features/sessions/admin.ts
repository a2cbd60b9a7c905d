import { Deleted } from '../../../shared/contract/envelopes.ts';
import { CurrentSession, LogIn, OwnerSession } from '../../../shared/contract/session.ts';
import { admin, strictPost } from '../../access/route.ts';
import { ApiError } from '../../kernel/api-error.ts';
import { router } from '../../kernel/trpc.ts';
import { endSession, startSession } from './store.ts';

const at = { path: '/admin/session', tag: 'session' } as const;

const create = strictPost({ ...at, summary: "Log in with the owner's e-mail address and password" })
  .meta({ errors: ['unauthorized'] })
  .input(LogIn)
  .output(OwnerSession)
  .mutation(async ({ ctx, input }) => {
    const session = await startSession(ctx, input);
    if (!session) throw new ApiError('unauthorized', 'wrong e-mail address or password');
    return session;
  });

const get = admin
  .get({ ...at, summary: 'Show the session' })
  .output(CurrentSession)
  .query(({ ctx: { session } }) => ({
    owner: { id: session.owner_id, email: session.email, name: session.name },
    site: { id: session.site_id, name: session.site_name },
    expires_at: session.expires_at,
  }));

const remove = admin
  .del({ ...at, summary: 'Log out' })
  .output(Deleted)
  .mutation(async ({ ctx }) => {
    await endSession(ctx.deps, ctx.session);
    return { status: 'deleted' as const };
  });

/** The owner's session: signing in and out, and who is signed in. */
export const sessionAdmin = router({ create, get, delete: remove });
