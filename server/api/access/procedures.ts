import type { Actor } from '../../../shared/contract/history.ts';
import { type Area, rightOf } from '../../../shared/contract/roles.ts';
import { ApiError, found } from '../api-error.ts';
import type { Admission, SiteKey } from '../callers.ts';
import type { Context, Surface } from '../context.ts';
import type { Procedure } from '../procedures.ts';
import { t } from '../trpc.ts';
import { admit } from './admit.ts';
import { touchKey } from './api-key.ts';
import { touchSession } from './owner-session.ts';

/** Throws what refuses a call, and notes that its key was used. */
async function enter(ctx: Context, procedure: Pick<Procedure, 'name' | 'meta' | 'type'>): Promise<Admission> {
  const admission = await admit(ctx, { procedure, surface: ctx.surface });
  const { refusal, caller, needsTouch } = admission;
  if (refusal) throw refusal;
  if (needsTouch && caller?.kind === 'key') await touchKey(ctx.deps, caller);
  // A write of what has no revision can't be held to one, so it isn't carried out as if it had been.
  if (ctx.ifMatch && procedure.type === 'mutation' && !procedure.meta.conditional)
    throw new ApiError(
      'invalid_request',
      'If-Match: not supported here, because this call changes no record with a revision',
    );
  return admission;
}

/** Needs an API key with the scope of `meta.scope`, or of `meta.mcp` for an assistant; pages call as their visitor. */
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

/** An author's assistant writes what they could write. Of what else assistants write, nobody has a part alone. */
const writesOnlyOwn = ({ consent }: SiteKey) =>
  consent !== undefined && rightOf(consent.role, 'content') === 'own';

/** The same for what writes, which no visitor does. */
export const keyWrite = keyProcedure.use(({ ctx: { actor }, path, next }) => {
  if (!actor) throw new Error(`${path}: visitors cannot call a writing procedure`);
  return next({ ctx: { actor } });
});

/** What all sessions of a person have in common. */
export const ownerCredential = (ownerId: string) => `owner ${ownerId}`;

/** Needs the session token of a site's owner, or of whoever else has a role that opens the procedure's area. */
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

/** The same of an area that others than owners enter. */
export const staffProcedure = (area: Area) => ownerProcedure.meta({ area });

/** Needs no credential. */
export const publicProcedure = t.procedure
  .meta({ access: 'public', tier: 'normal' })
  .use(async ({ ctx, path: name, meta = {}, type, next }) => {
    await enter(ctx, { name, meta, type });
    return next();
  });

/** Needs no credential; the site is the one that the `Host` names, else the only one there is (docs/contract.md#tenants). */
export const siteProcedure = publicProcedure.use(async ({ ctx, next }) =>
  next({ ctx: { siteId: found(await ctx.deps.findVisitedSite(ctx.host)).id } }),
);
