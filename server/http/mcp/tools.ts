import { setImmediate } from 'node:timers/promises';
import type { Tool as Definition } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { covers, type Scope } from '../../../shared/contract/scopes.ts';
import { toolScopes } from '../../api/access/checks.ts';
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
 * Each of the procedures that says it is a tool, by the tool's name. Throws when two have the same name, or one has no scope.
 * All their schemas take a tenth of a second, so whoever else waits has a turn after each of them.
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

/** The tools that the key of a request may call, as its version of the protocol describes them. */
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
  // What has no path takes only what other tools describe.
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

/** The fields of `update_…` are described by `create_…` alone: both take the same scope, so whoever has one has the other. */
const inputSchemas: Record<RestRoute['method'], (input: z.ZodObject) => Definition['inputSchema']> = {
  GET: inputSchemaOf,
  POST: creationSchemaOf,
  PATCH: changeSchemaOf,
  DELETE: inputSchemaOf,
};

/** Repeating it changes nothing more, but what it changes is gone. */
const change = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** What was sent is with its readers: the only tools that reach beyond the site. */
const sending = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };

/** What an assistant may expect of a call, as its REST method promises it; of one that changes nothing, as of a GET. */
const annotations: Record<RestRoute['method'], Definition['annotations']> = {
  GET: { readOnlyHint: true, openWorldHint: false },
  POST: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false },
  PATCH: change,
  DELETE: change,
};
