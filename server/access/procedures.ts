import type { ProcedureType } from '@trpc/server';
import type { TierName } from '../../shared/contract/limits.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Caller, CollectionVersion, KnownKey } from '../kernel/callers.ts';
import type { Context } from '../kernel/context.ts';
import type { Deps } from '../kernel/deps.ts';
import type { Meta } from '../kernel/meta.ts';
import { t } from '../kernel/trpc.ts';
import { consumeBesides } from '../limits/consume.ts';
import { admitKey, requireOrigin, requireScope } from './admit-key.ts';
import { touchKey } from './api-key.ts';
import { bearerToken } from './credentials.ts';
import { findOwnerSession } from './owner-session.ts';

/** A call over RPC that went over its limit is refused here, so that the others of its batch are still answered. */
function refuseOverLimit({ refusedCalls }: Context, batchIndex: number) {
  const refusal = refusedCalls.get(batchIndex);
  if (refusal) throw refusal;
}

/** The tier that a procedure's requests count in by client address. */
const addressTier = ({ surface }: Context, meta: Meta | undefined): TierName =>
  surface === 'mcp' ? 'mcp' : (meta?.tier ?? 'normal');

/** The tier that a call counts in by its key: what an assistant writes has one of its own. */
const keyTier = ({ surface }: Context, meta: Meta | undefined, type: ProcedureType): TierName | undefined =>
  surface === 'mcp' && type === 'mutation' ? 'mcp_writes' : meta?.keyTier;

/**
 * Needs an API key with the scope of `meta.scope`, or of `meta.mcp` for an assistant. The order of checks is
 * known, active, not expired, plan, scope, origin, then the key's own limit (docs/contract.md#order-of-checks).
 */
export const keyProcedure = t.procedure
  .meta({ access: 'key', tier: 'normal' })
  .use(async ({ ctx, meta, type, batchIndex, next }) => {
    refuseOverLimit(ctx, batchIndex);
    const admit = async (foundKey?: Context['foundKey']) => {
      const caller: Caller = ctx.admitted ?? (await admitKey({ ...ctx, foundKey }, meta?.cached));
      requireScope(caller.scopes, { surface: ctx.surface, meta, type });
      requireOrigin(ctx, caller);
      return caller;
    };
    const key = await admit(ctx.foundKey);
    const tier = keyTier(ctx, meta, type);
    if (tier) {
      await consumeBesides(ctx.deps.limiter, ctx.decisions, {
        first: { tier: addressTier(ctx, meta), subject: ctx.client },
        also: { tier, subject: key.id },
      });
    }
    if (!ctx.admitted && isKey(key)) await touchKey(ctx.deps, key);
    const collection =
      key.collection ??
      (meta?.cached ? await findCollectionVersion(ctx.deps, key.site_id, meta.cached) : null);
    const credential = `key ${key.id}`;
    const actor = { kind: ctx.surface === 'mcp' ? 'assistant' : 'key', id: key.id, name: key.name } as const;
    requireRevision(ctx, meta, type);
    return next({
      ctx: { key, siteId: key.site_id, credential, actor, collection, admitAgain: () => admit() },
    });
  });

/** A collection of a site as it is now, for callers whose key query did not ask for it. */
async function findCollectionVersion(
  { database }: Pick<Deps, 'database'>,
  siteId: string,
  collection: string,
): Promise<CollectionVersion> {
  const row = await database.em
    .getKysely()
    .selectFrom('collection_state')
    .select(['version', 'public_count'])
    .where('site_id', '=', siteId)
    .where('collection', '=', collection)
    .executeTakeFirst();
  // No write has raised the version of a collection without a row.
  return row ?? { version: 0, public_count: 0 };
}

const isKey = (caller: Caller): caller is KnownKey => 'last_used_at' in caller;

/** What all sessions of an owner have in common. */
export const ownerCredential = (ownerId: string) => `owner ${ownerId}`;

/** A write of what has no revision can't be held to one, so it isn't carried out as if it had been. */
function requireRevision({ ifMatch }: Context, meta: Meta | undefined, type: ProcedureType) {
  if (ifMatch && type === 'mutation' && !meta?.conditional)
    throw new ApiError('invalid_request', 'If-Match: what this writes has no revision');
}

/** Needs the session token of a site's owner. */
export const ownerProcedure = t.procedure
  .meta({ access: 'owner', tier: 'moderate', rpcTier: 'studio' })
  .use(async ({ ctx, meta, type, batchIndex, next }) => {
    refuseOverLimit(ctx, batchIndex);
    const session = await findOwnerSession(ctx.deps, bearerToken(ctx.authorization, 'svc_owner_'), ctx.host);
    if (!session) throw new ApiError('unauthorized', 'invalid or expired session token');
    const { site_id: siteId, owner_id: id, name } = session;
    const actor = { kind: 'owner', id, name } as const;
    requireRevision(ctx, meta, type);
    return next({ ctx: { session, siteId, credential: ownerCredential(id), actor } });
  });

/** Needs no credential. */
export const publicProcedure = t.procedure
  .meta({ access: 'public', tier: 'normal' })
  .use(({ ctx, meta, type, batchIndex, next }) => {
    refuseOverLimit(ctx, batchIndex);
    requireRevision(ctx, meta, type);
    return next();
  });

/** Needs no credential; the site is the one that the `Host` names, else the only one there is (docs/contract.md#tenants). */
export const siteProcedure = publicProcedure.use(async ({ ctx, next }) => {
  const siteId = await ctx.deps.findSite(ctx.host);
  if (siteId === null) throw new ApiError('not_found');
  return next({ ctx: { siteId } });
});
