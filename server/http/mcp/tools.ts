import { setImmediate } from 'node:timers/promises';
import type { Tool as Definition } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { covers, type Scope } from '../../../shared/contract/scopes.ts';
import { toolScopes } from '../../api/access/access-checks.ts';
import type { RestRoute, ToolMeta } from '../../api/meta.ts';
import { type Procedure, proceduresOf } from '../../api/procedures.ts';
import { type AppRouter, assistantsRouter } from '../../api/router/app-router.ts';
import type { WrittenDocument } from '../openapi/written-document.ts';
import { type ListTool, listToolOf, withoutIncludedFields, withoutIncludeParameter } from './list-tool.ts';
import { knowsStructuredContent, type McpRequest } from './mcp-request.ts';
import {
  changeSchemaOf,
  creationSchemaOf,
  inputSchemaOf,
  listSchemaOf,
  outputSchemaOf,
} from './tool-schemas.ts';

export interface McpSurface {
  tools: ReadonlyMap<string, Tool>;
  /** Every procedure by its name: prompts and resources read through some of them. */
  procedures: ReadonlyMap<string, Procedure>;
  document: WrittenDocument;
}

export async function createMcpSurface(router: AppRouter, document: WrittenDocument): Promise<McpSurface> {
  const procedures = new Map([...proceduresOf(router), ...proceduresOf(assistantsRouter)]);
  return { tools: await toolsOf(procedures.values()), procedures, document };
}

export interface Tool {
  definition: Definition;
  scopes: readonly Scope[];
  procedure: Procedure;
  list: ListTool | null;
}

/**
 * Creates the tools of all procedures that declare one, by name. Throws for a duplicate name, a missing title or scope.
 * Creating all schemas takes 100 ms, so other work gets a turn after each of them.
 */
async function toolsOf(procedures: Iterable<Procedure>): Promise<ReadonlyMap<string, Tool>> {
  const tools = new Map<string, Tool>();
  for (const procedure of procedures) {
    const { mcp } = procedure.meta;
    if (!mcp) continue;
    if (tools.has(mcp.name)) throw new Error(`two procedures declare the tool ${mcp.name}`);
    await setImmediate();
    const list = listToolOf(procedure);
    tools.set(mcp.name, {
      definition: definitionOf(procedure, mcp, list),
      scopes: toolScopes(mcp, procedure.type),
      procedure,
      list,
    });
  }
  return tools;
}

/** Returns the tools that the key of a request may call. They have no output schemas if its protocol version has none. */
export function toolsFor(tools: ReadonlyMap<string, Tool>, request: McpRequest): Definition[] {
  const offered = [...tools.values()]
    .filter(({ scopes }) => scopes.some((scope) => covers(request.key.scopes, scope)))
    .map(({ definition }) => definition);
  if (knowsStructuredContent(request)) return offered;
  return offered.map(({ outputSchema: _, ...definition }) => definition);
}

const methodOf = ({ meta: { openapi }, type }: Procedure): RestRoute['method'] =>
  openapi?.method ?? (type === 'mutation' ? 'PATCH' : 'GET');

const nothing = z.object({});

const outputWithoutIncluded = (output: z.ZodType) =>
  output instanceof z.ZodObject ? withoutIncludedFields(output) : output;

function definitionOf(procedure: Procedure, tool: ToolMeta, list: ListTool | null): Definition {
  const { openapi } = procedure.meta;
  const title = openapi?.summary ?? tool.title;
  if (!title) throw new Error(`the tool ${tool.name} has no title`);
  const method = methodOf(procedure);
  // Procedures without a path have input fields with clear names, so their schemas contain only types.
  const schemaOf = openapi ? inputSchemas[method] : changeSchemaOf;
  return {
    name: tool.name,
    title,
    description: [title, tool.advice].filter(Boolean).join('. '),
    inputSchema: list
      ? listSchemaOf(list.input)
      : schemaOf(withoutIncludeParameter(procedure.input ?? nothing)),
    outputSchema: outputSchemaOf(list?.output ?? outputWithoutIncluded(procedure.output)),
    annotations: tool.access === 'send' ? sending : annotations[procedure.isWrite ? method : 'GET'],
  };
}

/**
 * Input schemas by method. `create_…` describes the fields of `update_…` too: both need the same scope, so a client has
 * both or neither.
 */
const inputSchemas: Record<RestRoute['method'], (input: z.ZodObject) => Definition['inputSchema']> = {
  GET: inputSchemaOf,
  POST: creationSchemaOf,
  PATCH: changeSchemaOf,
  DELETE: inputSchemaOf,
};

/** Hints of updates and deletions: repeating one changes nothing more, but the previous value is lost. */
const change = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** Hints of sending: readers have the email already, and only these tools reach beyond the site. */
const sending = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** Hints of a call by its REST method; calls without changes have those of GET. */
const annotations: Record<RestRoute['method'], Definition['annotations']> = {
  GET: { readOnlyHint: true, openWorldHint: false },
  POST: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  PATCH: change,
  DELETE: change,
};
