import type { ProcedureType } from '@trpc/server';
import { listed } from '../../shared/contract/listed.ts';
import { mcpScope } from '../../shared/contract/mcp-scopes.ts';
import { covers, type Scope } from '../../shared/contract/scopes.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { Surface } from '../kernel/context.ts';
import type { Meta, ToolMeta } from '../kernel/meta.ts';

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
