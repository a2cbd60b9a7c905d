import type { ProcedureType } from '@trpc/server';
import { mcpScope } from '../../shared/contract/mcp-scopes.ts';
import { covers, type Scope } from '../../shared/contract/scopes.ts';
import type { Surface } from '../kernel/context.ts';
import { ApiError } from '../kernel/errors.ts';
import type { Meta, ToolMeta } from '../kernel/meta.ts';

interface Call {
  surface: Surface;
  meta: Meta | undefined;
  type: ProcedureType;
}

/** Throws `insufficient_scope` unless a key with scopes `granted` may make the call. Assistants are told what is missing. */
export function requireScope(granted: readonly string[], { surface, meta, type }: Call) {
  const needed = surface === 'mcp' ? meta?.mcp && toolScope(meta.mcp, type) : meta?.scope;
  if (needed && covers(granted, needed)) return;
  const missing = surface === 'mcp' && needed ? `insufficient scope: the API key lacks ${needed}` : undefined;
  throw new ApiError('insufficient_scope', missing);
}

/** The scope that calling a tool takes. */
export const toolScope = ({ resource }: ToolMeta, type: ProcedureType): Scope =>
  mcpScope(resource, type === 'mutation' ? 'write' : 'read');
