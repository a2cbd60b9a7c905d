import type { ProcedureType } from '@trpc/server';
import { listed } from '../../shared/contract/listed.ts';
import { plans } from '../../shared/contract/plans.ts';
import { covers, mcpScope, type Scope } from '../../shared/contract/scopes.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Caller, KnownKey } from '../kernel/callers.ts';
import type { Context, Surface } from '../kernel/context.ts';
import type { Meta, ToolMeta } from '../kernel/meta.ts';
import { bearerToken } from './credentials.ts';

/**
 * The API key of a request, if its surface is open to it at all. `collection`: whose version to fetch by the same query;
 * null for none.
 */
export async function admitKey(ctx: Context, collection: string | null = null): Promise<KnownKey> {
  const { deps, host, surface } = ctx;
  const secret = bearerToken(ctx.authorization, 'svc_live_');
  const key = await (ctx.foundKey ?? deps.findKey({ secret, host, collection }));
  return requireOpen(key, { surface, now: deps.clock.now() });
}

/**
 * Throws unless the key is known, active, not expired, on a plan with the surface, and not stopped by the site's kill
 * switch, in this order.
 */
export function requireOpen(
  key: KnownKey | null,
  { surface, now }: { surface: Surface; now: Date },
): KnownKey {
  if (!key) throw new ApiError('unauthorized', 'invalid API key');
  if (!key.active) throw new ApiError('key_disabled');
  if (key.expiry && key.expiry <= now) throw new ApiError('key_expired');
  if (surface === 'mcp') requireAssistants(key);
  else if (!plans[key.plan].api)
    throw new ApiError('insufficient_scope', "the site's plan does not include API access");
  return key;
}

function requireAssistants({ plan, mcp_enabled }: KnownKey) {
  if (!plans[plan].mcp)
    throw new ApiError('insufficient_scope', "the site's plan does not include assistant access");
  if (!mcp_enabled) throw new ApiError('mcp_disabled');
}

interface Call {
  surface: Surface;
  meta: Meta | undefined;
  type: ProcedureType;
}

/** Throws `insufficient_scope`, with what is needed, unless a key with scopes `granted` may make the call. */
export function requireScope(granted: readonly string[], { surface, meta, type }: Call) {
  const own = meta?.scope ? [meta.scope] : [];
  const opening = surface === 'mcp' && meta?.mcp ? toolScopes(meta.mcp, type) : own;
  if (opening.some((scope) => covers(granted, scope))) return;
  const [needed] = opening;
  if (!needed) throw new ApiError('insufficient_scope');
  const message = `insufficient scope: this needs ${listed(opening)}; the API key has ${listed(granted)}`;
  throw new ApiError('insufficient_scope', message, { scope: needed });
}

/** The same for a call of a tool that is about several resources, once its input has named the one that this call is about. */
export const requireScopeOf = (resource: string, granted: readonly string[], { meta, ...call }: Call) =>
  requireScope(granted, { ...call, meta: meta?.mcp && { ...meta, mcp: { ...meta.mcp, resource } } });

/** The scopes of which calling a tool takes one. */
export const toolScopes = ({ resource, access }: ToolMeta, type: ProcedureType): readonly Scope[] =>
  [resource].flat().map((one) => mcpScope(one, access ?? (type === 'mutation' ? 'write' : 'read')));

/** Throws `origin_not_allowed` for a request from elsewhere than the key's origins (docs/contract.md#origins). */
export function requireOrigin(request: Pick<Context, 'origin' | 'referer'>, key: Caller) {
  if (!originAllowed(key.allowed_origins, request)) throw new ApiError('origin_not_allowed');
}

/** Whether a request with these headers comes from one of `allowed`; an empty list allows any (docs/contract.md#origins). */
export function originAllowed(
  allowed: readonly string[],
  headers: { origin?: string | undefined; referer?: string | undefined },
) {
  if (allowed.length === 0) return true;
  const claimed = headers.origin ?? originOf(headers.referer);
  return claimed !== undefined && allowed.includes(claimed.toLowerCase());
}

function originOf(referer = ''): string | undefined {
  return URL.canParse(referer) ? new URL(referer).origin : undefined;
}
