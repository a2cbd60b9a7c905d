import { plans } from '../../shared/contract/plans.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Caller, KnownKey } from '../kernel/callers.ts';
import type { Context, Surface } from '../kernel/context.ts';
import { bearerToken } from './bearer-token.ts';
import { originAllowed } from './origin.ts';

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

/** Throws `origin_not_allowed` for a request from elsewhere than the key's origins (docs/contract.md#origins). */
export function requireOrigin(request: Pick<Context, 'origin' | 'referer'>, key: Caller) {
  if (!originAllowed(key.allowed_origins, request)) throw new ApiError('origin_not_allowed');
}
