import { plans } from '../../shared/contract/plans.ts';
import { covers } from '../../shared/contract/scopes.ts';
import type { Context } from '../context.ts';
import { ApiError } from '../errors.ts';
import { type Meta, t } from '../trpc.ts';
import { touchKey } from './api-key.ts';
import { spendBesides } from './limits.ts';
import { originAllowed } from './origin.ts';
import { findOwnerSession } from './owner-session.ts';

/** A call over RPC that went over its limit is refused here, so that the others of its batch are still answered. */
const refuseOverLimit = t.middleware(({ ctx, batchIndex, next }) => {
  const refusal = ctx.refusedCalls.get(batchIndex);
  if (refusal) throw refusal;
  return next();
});

/** The tier that a procedure's requests count in by client address. */
const addressTier = (meta: Meta | undefined) => meta?.tier ?? 'normal';

/**
 * Needs an API key with the scope of `meta.scope`. The order of checks is DECISIONS 4: known, active, not expired,
 * plan, scope, origin, then the key's own limit.
 */
export const keyProcedure = t.procedure
  .meta({ access: 'key', tier: 'normal' })
  .use(refuseOverLimit)
  .use(async ({ ctx, meta, next }) => {
    const { deps } = ctx;
    const collection = meta?.cached ?? '';
    const key = await deps.findKey({ secret: bearerToken(ctx), host: ctx.host, collection });
    if (!key) throw new ApiError('unauthorized', 'invalid API key');
    if (!key.active) throw new ApiError('key_disabled');
    if (key.expiry && key.expiry <= deps.clock.now()) throw new ApiError('key_expired');
    if (!plans[key.plan].api)
      throw new ApiError('insufficient_scope', "the site's plan does not include API access");
    if (!meta?.scope || !covers(key.scopes, meta.scope)) throw new ApiError('insufficient_scope');
    if (!originAllowed(key.allowed_origins, ctx)) throw new ApiError('origin_not_allowed');
    if (meta.keyTier) {
      await spendBesides(deps.limiter, ctx.verdicts, {
        first: { tier: addressTier(meta), subject: ctx.client },
        also: { tier: meta.keyTier, subject: key.id },
      });
    }
    await touchKey(deps, key);
    return next({ ctx: { key, siteId: key.site_id, collection: key.collection } });
  });

/** Needs the session token of a site's owner (SPEC "Authentication" 8). */
export const ownerProcedure = t.procedure
  .meta({ access: 'owner', tier: 'moderate', rpcTier: 'studio' })
  .use(refuseOverLimit)
  .use(async ({ ctx, next }) => {
    const session = await findOwnerSession(ctx.deps, bearerToken(ctx), ctx.host);
    if (!session) throw new ApiError('unauthorized', 'invalid or expired session token');
    return next({ ctx: { session, siteId: session.site_id } });
  });

/** Needs no credential. */
export const publicProcedure = t.procedure.meta({ access: 'public', tier: 'normal' }).use(refuseOverLimit);

/** The credential of `Authorization: Bearer …`; throws `unauthorized` when there is none. */
export function bearerToken({ authorization = '' }: Context): string {
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('unauthorized');
  return token;
}
