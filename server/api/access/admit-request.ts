import type { TierName } from '../../../shared/contract/limits.ts';
import { plans } from '../../../shared/contract/plans.ts';
import { ApiError, toApiError } from '../api-error.ts';
import { type Admission, type Caller, isOutdated, type SiteKey } from '../callers.ts';
import type { Context } from '../context.ts';
import type { Deps } from '../deps.ts';
import { countInSecondTier } from '../limits/count.ts';
import {
  type AdmissionEntry,
  requireAssistants,
  requireOrigin,
  requireProof,
  requireRole,
  requireScope,
} from './access-checks.ts';
import { isTouched } from './api-key.ts';
import { assistantMarkers, bearerToken } from './credentials.ts';
import { findOwnerSession } from './owner-session.ts';
import { collectionStateOf } from './site-of-host.ts';

export type AccessRequest = Pick<
  Context,
  | 'deps'
  | 'host'
  | 'authority'
  | 'authorization'
  | 'origin'
  | 'referer'
  | 'client'
  | 'decisions'
  | 'admission'
>;

/**
 * Checks of an identified caller, in the order of docs/reference/requests.md#order-of-checks. Each throws the error to refuse
 * with.
 */
const checks: readonly ((caller: Caller, entry: AdmissionEntry, request: AccessRequest) => void)[] = [
  requireActive,
  requireUnexpired,
  requirePlan,
  requireScope,
  requireRole,
  requireProof,
  requireOrigin,
];

/**
 * Decides whether a request may call a procedure, or use a surface: every check between the limit by address and the
 * input. Never throws; the result contains the refusal. Reuses a result of the same request for up to 1 second
 * (`isOutdated`).
 */
export async function admit(request: AccessRequest, entry: AdmissionEntry): Promise<Admission> {
  const { procedure } = entry;
  const { admission: earlier } = request;
  const holds = earlier && !isOutdated(earlier, request.deps.clock);
  const isRepeated = earlier !== undefined && earlier.procedure === procedure?.name;
  if (holds && isRepeated) return earlier;
  const admission: Admission = {
    procedure: procedure?.name,
    refusal: null,
    caller: null,
    askedAtMs: holds ? earlier.askedAtMs : request.deps.clock.sinceStart(),
    collectionState: null,
    needsTouch: false,
  };
  if (procedure?.meta.access === 'public') return admission;
  try {
    const caller = (holds && earlier.caller) || (await identify(request, entry));
    if (!caller) throw unknownCaller(entry);
    for (const check of checks) check(caller, entry, request);
    if (caller.kind === 'key') {
      const tier = keyTierOf(entry);
      if (tier && !isRepeated) await countByKey(caller, { tier, ...entry }, request);
      admission.needsTouch = !earlier && !isTouched(caller, request.deps.clock.now());
    }
    const cached = procedure?.meta.cached;
    if (cached !== undefined) {
      if (caller.kind === 'visitor') admission.collectionState = collectionStateOf(caller.site, cached);
      else if (caller.kind === 'key')
        admission.collectionState = earlier
          ? await findCollectionState(request.deps, caller.site_id, cached)
          : caller.collectionState;
    }
    admission.caller = caller;
  } catch (error) {
    admission.refusal = toApiError(error, false);
  }
  return admission;
}

/** Finds the caller by the kind of credential that the procedure and surface take; null if no such caller exists. */
function identify(request: AccessRequest, { procedure, surface }: AdmissionEntry): Promise<Caller | null> {
  const { deps, host, authorization } = request;
  if (procedure?.meta.access === 'owner')
    return findOwnerSession(deps, bearerToken(authorization, 'svc_owner_'), host);
  if (surface === 'site') return deps.findVisitedSite(host).then((site) => site && { kind: 'visitor', site });
  if (surface === 'mcp' && authorization?.includes(` ${assistantMarkers.access}`))
    return deps.findAssistant(bearerToken(authorization, assistantMarkers.access), request);
  const secret = bearerToken(authorization, 'svc_live_');
  return deps.findKey({ secret, host, collection: procedure?.meta.cached ?? null });
}

function unknownCaller({ procedure, surface }: AdmissionEntry): ApiError {
  if (procedure?.meta.access === 'owner')
    return new ApiError('unauthorized', 'invalid or expired session token');
  return surface === 'site' ? new ApiError('not_found') : new ApiError('unauthorized', 'invalid API key');
}

function requireActive(caller: Caller) {
  if (caller.kind === 'key' && !caller.active) throw new ApiError('key_disabled');
}

function requireUnexpired(caller: Caller, _: AdmissionEntry, { deps }: AccessRequest) {
  if (caller.kind === 'key' && caller.expiry && caller.expiry <= deps.clock.now())
    throw new ApiError('key_expired');
}

/** Throws unless the site's plan includes the surface and, for assistants, the site's switch is on. */
function requirePlan(caller: Caller, { surface }: AdmissionEntry) {
  if (caller.kind !== 'key') return;
  if (surface === 'mcp') requireAssistants(caller);
  else if (!plans[caller.plan].api)
    throw new ApiError('insufficient_scope', "the site's plan does not include API access");
}

/** Returns the tier that counts a call by its key; undefined without one. Writes of assistants have a tier of their own. */
const keyTierOf = ({ procedure, surface }: AdmissionEntry) =>
  surface === 'mcp' && procedure?.type === 'mutation' ? 'mcp_writes' : procedure?.meta.keyTier;

/**
 * Counts the call by its key. If the key's limit refuses the call, the call no longer counts for the client's address.
 */
const countByKey = (
  { id }: SiteKey,
  { tier, procedure, surface }: AdmissionEntry & { tier: TierName },
  { deps, decisions, client }: AccessRequest,
) =>
  countInSecondTier(deps.limiter, decisions, {
    first: { tier: surface === 'mcp' ? 'mcp' : (procedure?.meta.tier ?? 'normal'), subject: client },
    also: { tier, subject: id },
  });

/** Finds the state of a collection for keys that were looked up before the procedure was known. */
async function findCollectionState({ database }: Pick<Deps, 'database'>, siteId: string, collection: string) {
  const state = await database.em
    .getKysely()
    .selectFrom('collection_state')
    .select(['version', 'public_count'])
    .where('site_id', '=', siteId)
    .where('collection', '=', collection)
    .executeTakeFirst();
  // A collection without a row has never been written to.
  return state ?? { version: 0, public_count: 0 };
}
