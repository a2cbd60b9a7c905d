import { opens } from '../../shared/contract/roles.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Caller } from '../kernel/callers.ts';
import type { Surface } from '../kernel/context.ts';
import type { Procedure } from '../kernel/procedures.ts';

interface Entry {
  procedure?: Pick<Procedure, 'type' | 'meta'> | undefined;
  surface: Surface;
}

/** Throws `insufficient_role` unless the role of who is signed in opens the procedure's area. */
export function requireRole(caller: Caller, { procedure, surface }: Entry) {
  if (!procedure || caller.kind !== 'owner') return;
  const { type, meta } = procedure;
  const { area = 'site' } = meta;
  if (opens(caller.role, area, type === 'mutation' && !meta.changesNothing)) return;
  // Over REST these paths take the session of an owner, and this is none.
  if (surface === 'rest' && area === 'site')
    throw new ApiError('unauthorized', `this needs an owner's session; your role is ${caller.role}`);
  throw new ApiError('insufficient_role', `your role, ${caller.role}, does not allow this`);
}
