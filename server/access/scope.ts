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
  const needed = surface === 'mcp' ? meta?.mcp && toolScope(meta.mcp, type) : meta?.scope;
  if (needed && covers(granted, needed)) return;
  if (!needed) throw new ApiError('insufficient_scope');
  const message = `insufficient scope: this needs ${needed}; the API key has ${listed(granted)}`;
  throw new ApiError('insufficient_scope', message, { scope: needed });
}

/** The scope that calling a tool takes. */
export const toolScope = ({ resource }: ToolMeta, type: ProcedureType): Scope =>
  mcpScope(resource, type === 'mutation' ? 'write' : 'read');
