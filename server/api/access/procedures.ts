import type { Actor } from '../../../shared/contract/history.ts';
import { type Area, rightOf } from '../../../shared/contract/roles.ts';
import { ApiError, found } from '../api-error.ts';
import type { Admission, SiteKey } from '../callers.ts';
import type { Context, Surface } from '../context.ts';
import type { Procedure } from '../procedures.ts';
import { t } from '../trpc.ts';
import { admit } from './admit-request.ts';
import { touchKey } from './api-key.ts';
import { touchSession } from './owner-session.ts';

/** Runs the access checks of a call, and records the use of its key. Throws the error of the first failed check. */
async function enter(ctx: Context, procedure: Pick<Procedure, 'name' | 'meta' | 'type'>): Promise<Admission> {
  const admission = await admit(ctx, { procedure, surface: ctx.surface });
  const { refusal, caller, needsTouch } = admission;
  if (refusal) throw refusal;
  if (needsTouch && caller?.kind === 'key') await touchKey(ctx.deps, caller);
  // Without a revision there is nothing to compare, so the write must not run as if the condition were met.
  if (ctx.ifMatch && procedure.type === 'mutation' && !procedure.meta.conditional)
    throw new ApiError(
      'invalid_request',
      'If-Match: not supported here, because this call changes no record with a revision',
    );
  return admission;
}

/**
 * Requires an API key with the scope in `meta.scope`, or in `meta.mcp` for an assistant. Pages call these procedures as
 * their visitor.
 */
export const keyProcedure = t.procedure
  .meta({ access: 'key', tier: 'normal' })
  .use(async ({ ctx, path: name, meta = {}, type, next }) => {
    const procedure = { name, meta, type };
    const admission = await enter(ctx, procedure);
    const { caller, collectionState } = admission;
    if (caller?.kind !== 'key' && caller?.kind !== 'visitor')
      throw new Error(`${name}: unexpected caller ${caller?.kind}`);
    const isKey = caller.kind === 'key';
    const { id: siteId, plan } = isKey ? { id: caller.site_id, plan: caller.plan } : caller.site;
    const credential = isKey ? `key ${caller.id}` : undefined;
    const actor = isKey ? actorOf(caller, ctx.surface) : undefined;
    const about = { admission, procedure, caller, collectionState, siteId, plan };
    return next({ ctx: { ...about, credential, actor, onlyOwn: isKey && writesOnlyOwn(caller) } });
  });

const actorOf = ({ id, name, consent }: SiteKey, surface: Surface): Actor => ({
  kind: surface === 'mcp' ? 'assistant' : 'key',
  id,
  name,
  ...(consent && { by: { id: consent.person_id, name: consent.person_name } }),
});

/** True if the key is an author's assistant, which may write only the author's own records. */
const writesOnlyOwn = ({ consent }: SiteKey) =>
  consent !== undefined && rightOf(consent.role, 'content') === 'own';

/** Requires an API key for a write. Throws an `Error` for visitors, which is a programming error. */
export const keyWrite = keyProcedure.use(({ ctx: { actor }, path, next }) => {
  if (!actor) throw new Error(`${path}: visitors cannot call a writing procedure`);
  return next({ ctx: { actor } });
});

/** Returns the credential under which answers to idempotency keys are stored. All sessions of a person share it. */
export const ownerCredential = (ownerId: string) => `owner ${ownerId}`;

/** Requires the session of an owner, or of a person whose role opens the procedure's area. */
export const ownerProcedure = t.procedure
  .meta({ access: 'owner', tier: 'moderate', rpcTier: 'studio' })
  .use(async ({ ctx, path: name, meta = {}, type, next }) => {
    const admission = await enter(ctx, { name, meta, type });
    const { caller: session } = admission;
    if (session?.kind !== 'owner') throw new Error(`${name}: unexpected caller ${session?.kind}`);
    await touchSession(ctx.deps, session);
    const { site_id: siteId, person_id: id, role } = session;
    const actor = { kind: 'owner', id, name: session.name } as const;
    const onlyOwn = rightOf(role, meta.area ?? 'site') === 'own';
    return next({ ctx: { admission, session, siteId, credential: ownerCredential(id), actor, onlyOwn } });
  });

/** Returns the builder of a procedure that requires a session of a person whose role opens `area`. */
export const staffProcedure = (area: Area) => ownerProcedure.meta({ area });

export const publicProcedure = t.procedure
  .meta({ access: 'public', tier: 'normal' })
  .use(async ({ ctx, path: name, meta = {}, type, next }) => {
    await enter(ctx, { name, meta, type });
    return next();
  });

/**
 * Requires no credential. The site is the one that `Host` names, or the only site of the service
 * (docs/reference/sites.md#tenants).
 */
export const siteProcedure = publicProcedure.use(async ({ ctx, next }) =>
  next({ ctx: { siteId: found(await ctx.deps.findVisitedSite(ctx.host)).id } }),
);
