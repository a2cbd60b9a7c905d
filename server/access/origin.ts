import { ApiError } from '../kernel/api-error.ts';
import type { Caller } from '../kernel/callers.ts';

/** Where a request says that it comes from. */
interface Claimed {
  origin?: string | undefined;
  referer?: string | undefined;
}

/** Throws `origin_not_allowed` for a request from elsewhere than the key's origins. */
export function requireOrigin(caller: Caller, _: unknown, request: Claimed) {
  if (caller.kind === 'key' && !originAllowed(caller.allowed_origins, request))
    throw new ApiError('origin_not_allowed');
}

/** Whether a request with these headers comes from one of `allowed`; an empty list allows any (docs/contract.md#origins). */
export function originAllowed(allowed: readonly string[], headers: Claimed) {
  if (allowed.length === 0) return true;
  const claimed = headers.origin ?? originOf(headers.referer);
  return claimed !== undefined && allowed.includes(claimed.toLowerCase());
}

function originOf(referer = ''): string | undefined {
  return URL.canParse(referer) ? new URL(referer).origin : undefined;
}
