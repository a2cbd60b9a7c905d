import type { Tool as Definition } from '@modelcontextprotocol/sdk/types.js';
import type { AnyRouter } from '@trpc/server';
import { z } from 'zod';
import { covers, type Scope } from '../../../shared/contract/scopes.ts';
import { toolScope } from '../../access/scope.ts';
import type { RestRoute, ToolMeta } from '../../kernel/meta.ts';
import { type RestProcedure, restProceduresOf } from '../../kernel/procedures.ts';
import { schemaOf } from '../openapi/json-schema.ts';

/** A procedure as assistants see it. */
export interface Tool {
  definition: Definition;
  scope: Scope;
  procedure: RestProcedure;
}

/** Every procedure that says it is a tool, by the tool's name. Throws when two have the same name, or one has no scope. */
export function toolsOf(router: AnyRouter): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const procedure of restProceduresOf(router)) {
    const { mcp } = procedure.meta;
    if (!mcp) continue;
    if (tools.has(mcp.name)) throw new Error(`two procedures are the tool ${mcp.name}`);
    const scope = toolScope(mcp, procedure.type);
    tools.set(mcp.name, { definition: definitionOf(procedure, mcp), scope, procedure });
  }
  return tools;
}

/** The tools that a key with these scopes may call. */
export const toolsFor = (tools: ReadonlyMap<string, Tool>, granted: readonly string[]): Definition[] =>
  [...tools.values()].filter(({ scope }) => covers(granted, scope)).map(({ definition }) => definition);

const nothing = z.object({});

function definitionOf(
  { input = nothing, output, meta: { rest } }: RestProcedure,
  tool: ToolMeta,
): Definition {
  return {
    name: tool.name,
    title: rest.summary,
    description: [rest.summary, tool.advice].filter(Boolean).join('. '),
    // Every contract is of an object, so its schema is; only the SDK's type wants to be told.
    inputSchema: schemaOf(input, 'input') as Definition['inputSchema'],
    outputSchema: schemaOf(output, 'output') as Definition['outputSchema'],
    annotations: annotations[rest.method],
  };
}

/** Repeating it changes nothing more, but what it changes is gone. */
const change = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** What an assistant may expect of a call, as its REST method promises it. No tool reaches beyond the site. */
const annotations: Record<RestRoute['method'], Definition['annotations']> = {
  GET: { readOnlyHint: true, openWorldHint: false },
  POST: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  PATCH: change,
  DELETE: change,
};
