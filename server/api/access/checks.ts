import type { ProcedureType } from '@trpc/server';
import { mayGive } from '../../../shared/contract/features/assistants.ts';
import { proofMinutes } from '../../../shared/contract/features/factors.ts';
import { Timestamp } from '../../../shared/contract/moments.ts';
import { opens } from '../../../shared/contract/roles.ts';
import { covers, mcpScope, mcpScopeNames, type Scope } from '../../../shared/contract/scopes.ts';
import { listed } from '../../../shared/contract/validation-messages.ts';
import { ApiError } from '../api-error.ts';
import type { Caller } from '../callers.ts';
import type { Surface } from '../context.ts';
import type { Deps } from '../deps.ts';
import type { ToolMeta } from '../meta.ts';
import type { Procedure } from '../procedures.ts';

export type Called = Pick<Procedure, 'name' | 'meta' | 'type'>;

/** What a request asks to be admitted to. */
export interface AdmissionEntry {
  /** Left out where a surface asks before it knows what is called: then the scope is checked later. */
  procedure?: Called | undefined;
  surface: Surface;
}

/** What visitors may call: whatever reads public content. */
const visitorScopes: readonly Scope[] = ['read', 'read:content'];

/** Throws `insufficient_scope`, with what is needed, unless one of the caller's scopes opens the procedure. */
export function requireScope(caller: Caller, { procedure, surface }: AdmissionEntry) {
  if (!procedure || caller.kind === 'owner') return;
  const granted = caller.kind === 'key' ? caller.scopes : visitorScopes;
  const { meta, type } = procedure;
  const own = meta.scope ? [meta.scope] : [];
  const opening = surface === 'mcp' && meta.mcp ? toolScopes(meta.mcp, type) : own;
  if (opening.some((scope) => covers(granted, scope))) return;
  throw lacking(caller, opening);
}

/** What a caller is refused with who has none of the scopes that open something. */
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
  // A client asks for what it is told here, and for nothing else: it would lose what it has.
  return new ApiError('insufficient_scope', message, { scopes: [...new Set([...opening, ...given])] });
}

/** What `requireScope` does, for a tool that is about several resources, once its input has named the one that this call is about. */
export function requireScopeOf(
  resource: string,
  { caller, procedure, surface }: AdmissionEntry & { caller: Caller; procedure: Called },
) {
  const { meta } = procedure;
  const mcp = meta.mcp && { ...meta.mcp, resource };
  requireScope(caller, { surface, procedure: { ...procedure, meta: { ...meta, ...(mcp && { mcp }) } } });
}

/** The scopes of which calling a tool takes one. */
export const toolScopes = ({ resource, access }: ToolMeta, type: ProcedureType): readonly Scope[] =>
  [resource].flat().map((one) => mcpScope(one, access ?? (type === 'mutation' ? 'write' : 'read')));

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

/** Throws `insufficient_role` unless the role of who is signed in opens the procedure's area. */
export function requireRole(caller: Caller, { procedure, surface }: AdmissionEntry) {
  if (!procedure || caller.kind !== 'owner') return;
  const { type, meta } = procedure;
  const { area = 'site' } = meta;
  if (opens(caller.role, area, type === 'mutation' && !meta.changesNothing)) return;
  // Over REST these paths take the session of an owner, and this is none.
  if (surface === 'rest' && area === 'site')
    throw new ApiError(
      'unauthorized',
      `an owner's session is required; your role on this site is \`${caller.role}\``,
    );
  throw new ApiError('insufficient_role', `your role on this site, \`${caller.role}\`, does not allow this`);
}

/** Until when a proof of this moment counts. */
export const provedUntil = (provedAt: Date) => new Timestamp(provedAt.getTime() + proofMinutes * 60_000);

/** Throws `proof_required` where a call is dangerous, and whoever is signed in has a second factor that they did not give lately. */
export function requireProof(
  caller: Caller,
  { procedure }: AdmissionEntry,
  { deps }: { deps: Pick<Deps, 'clock'> },
) {
  if (!procedure?.meta.needsProof || caller.kind !== 'owner' || !caller.has_factor) return;
  if (caller.proved_at === null || provedUntil(caller.proved_at) <= deps.clock.now())
    throw new ApiError('proof_required');
}
