import { proofMinutes } from '../../shared/contract/features/factors.ts';
import { Timestamp } from '../../shared/contract/moments.ts';
import { opens } from '../../shared/contract/roles.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Caller } from '../kernel/callers.ts';
import type { Deps } from '../kernel/deps.ts';
import type { AdmissionEntry } from './scope.ts';

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
