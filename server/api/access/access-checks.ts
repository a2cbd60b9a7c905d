import type { ProcedureType } from '@trpc/server';
import { mayGive } from '../../../shared/contract/features/assistants.ts';
import { proofMinutes } from '../../../shared/contract/features/factors.ts';
import { plans } from '../../../shared/contract/plans.ts';
import { opens } from '../../../shared/contract/roles.ts';
import { covers, mcpScope, mcpScopeNames, type Scope } from '../../../shared/contract/scopes.ts';
import { Timestamp } from '../../../shared/contract/timestamps.ts';
import { listed } from '../../../shared/contract/validation-messages.ts';
import { ApiError } from '../api-error.ts';
import type { Caller, SiteKey } from '../callers.ts';
import type { Surface } from '../context.ts';
import type { Deps } from '../deps.ts';
import type { ToolMeta } from '../meta.ts';
import type { Procedure } from '../procedures.ts';

export type CalledProcedure = Pick<Procedure, 'name' | 'meta' | 'type'>;

export interface AdmissionEntry {
  /** Undefined if the surface checks access before it knows the procedure; the scope is checked later then. */
  procedure?: CalledProcedure | undefined;
  surface: Surface;
}

/** Scopes of visitors: they read public content. */
const visitorScopes: readonly Scope[] = ['read', 'read:content'];

/**
 * Throws `insufficient_scope`, with the required scope, unless one of the caller's scopes opens the procedure. Throws
 * `insufficient_role` instead if the person who connected the assistant cannot grant the scope. Owners pass, and so
 * do requests without a procedure.
 */
export function requireScope(caller: Caller, { procedure, surface }: AdmissionEntry) {
  if (!procedure || caller.kind === 'owner') return;
  const granted = caller.kind === 'key' ? caller.scopes : visitorScopes;
  const { meta, type } = procedure;
  const own = meta.scope ? [meta.scope] : [];
  const opening = surface === 'mcp' && meta.mcp ? toolScopes(meta.mcp, type) : own;
  if (opening.some((scope) => covers(granted, scope))) return;
  throw lacking(caller, opening);
}

/**
 * Creates the error for a caller that has none of the scopes in `opening`: `insufficient_scope`, or
 * `insufficient_role` if the person who connected the assistant cannot grant any of them.
 */
export function lacking(caller: Caller, opening: readonly Scope[]): ApiError {
  const [needed] = opening;
  if (!needed) return new ApiError('insufficient_scope');
  const { scopes = visitorScopes, consent } = caller.kind === 'key' ? caller : {};
  const held = `${consent ? 'the assistant' : 'the API key'} has ${listed(scopes)}`;
  const message = `insufficient scope: required ${listed(opening)}; ${held}`;
  if (!consent) return new ApiError('insufficient_scope', message, { scopes: [needed] });
  const { role, given } = consent;
  if (!opening.some((scope) => mcpScopeNames.some((name) => name === scope && mayGive(role, name))))
    return new ApiError('insufficient_role', `the role \`${role}\` does not allow this scope for assistants`);
  // Includes the scopes that the client already has: clients request exactly the scopes listed here, and would lose the
  // others.
  return new ApiError('insufficient_scope', message, { scopes: [...new Set([...opening, ...given])] });
}

/**
 * Checks the scope of a tool that serves several resources, after its input named the resource. Throws
 * `insufficient_scope` or `insufficient_role`, like `requireScope`.
 */
export function requireScopeOf(
  resource: string,
  { caller, procedure, surface }: AdmissionEntry & { caller: Caller; procedure: CalledProcedure },
) {
  const { meta } = procedure;
  const mcp = meta.mcp && { ...meta.mcp, resource };
  requireScope(caller, { surface, procedure: { ...procedure, meta: { ...meta, ...(mcp && { mcp }) } } });
}

/** Returns the scopes that a tool needs; one of them is enough. */
export const toolScopes = ({ resource, access }: ToolMeta, type: ProcedureType): readonly Scope[] =>
  [resource].flat().map((one) => mcpScope(one, access ?? (type === 'mutation' ? 'write' : 'read')));

/** Request headers that state the page a request comes from. */
interface ClaimedOrigin {
  origin?: string | undefined;
  referer?: string | undefined;
}

/** Throws `origin_not_allowed` if the request comes from an origin that the key does not allow. */
export function requireOrigin(caller: Caller, _: unknown, request: ClaimedOrigin) {
  if (caller.kind === 'key' && !originAllowed(caller.allowed_origins, request))
    throw new ApiError('origin_not_allowed');
}

/**
 * Returns true if `allowed` contains the request's origin, or is empty. Without an `Origin` header, the origin of
 * `Referer` counts. Without both, only an empty list returns true (docs/reference/keys.md#origins).
 */
export function originAllowed(allowed: readonly string[], headers: ClaimedOrigin) {
  if (allowed.length === 0) return true;
  const claimed = headers.origin ?? URL.parse(headers.referer ?? '')?.origin;
  return claimed !== undefined && allowed.includes(claimed.toLowerCase());
}

/**
 * Throws `insufficient_role` unless the signed-in person's role opens the procedure's area. Over REST, throws
 * `unauthorized` for procedures that only owners may call.
 */
export function requireRole(caller: Caller, { procedure, surface }: AdmissionEntry) {
  if (!procedure || caller.kind !== 'owner') return;
  const { type, meta } = procedure;
  const { area = 'site' } = meta;
  if (opens(caller.role, area, type === 'mutation' && !meta.changesNothing)) return;
  // Over REST these paths require the session of an owner, and this person is not one.
  if (surface === 'rest' && area === 'site')
    throw new ApiError(
      'unauthorized',
      `an owner's session is required; your role on this site is \`${caller.role}\``,
    );
  throw new ApiError('insufficient_role', `your role on this site, \`${caller.role}\`, does not allow this`);
}

/** Throws `insufficient_scope` if a site's plan excludes assistants, and `mcp_disabled` if they are switched off. */
export function requireAssistants({ plan, mcp_enabled }: Pick<SiteKey, 'plan' | 'mcp_enabled'>) {
  if (!plans[plan].mcp)
    throw new ApiError('insufficient_scope', "the site's plan does not include assistant access");
  if (!mcp_enabled) throw new ApiError('mcp_disabled');
}

/** Returns the time until which a second factor given at `provedAt` counts as recent. */
export const provedUntil = (provedAt: Date) => new Timestamp(provedAt.getTime() + proofMinutes * 60_000);

/**
 * Throws `proof_required` if the procedure needs proof and the signed-in person has a second factor but did not give it
 * recently.
 */
export function requireProof(
  caller: Caller,
  { procedure }: AdmissionEntry,
  { deps }: { deps: Pick<Deps, 'clock'> },
) {
  if (!procedure?.meta.needsProof || caller.kind !== 'owner' || !caller.has_factor) return;
  if (caller.proved_at === null || provedUntil(caller.proved_at) <= deps.clock.now())
    throw new ApiError('proof_required');
}
