import { Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { usualFields } from '../../../shared/contract/fields.ts';
import { retentionDays } from '../../../shared/contract/limits.ts';
import { mcpScopeNames } from '../../../shared/contract/scopes.ts';
import { version } from '../openapi/version.ts';
import { callTool } from './call-tool.ts';
import type { McpRequest } from './mcp-request.ts';
import { getPrompt, promptsFor } from './prompts.ts';
import { protocolErrorOf } from './protocol-error.ts';
import { listResources, readResource, templatesFor } from './resources.ts';
import { type McpSurface, toolsFor } from './tools.ts';

const info = { name: 'creator-content-service', title: 'Creator Content Service', version };

/** Creates an MCP server for one request. No state remains between messages, so any process can answer each of them. */
export function createMcpServer(surface: McpSurface, request: McpRequest): Server {
  const { scopes } = request.key;
  const server = new Server(info, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: instructionsFor(scopes),
    jsonSchemaValidator: noElicitation,
  });
  server.setRequestHandler('tools/list', () => ({ tools: toolsFor(surface.tools, request) }));
  server.setRequestHandler('tools/call', { params: ToolCall }, (params) =>
    withProtocolErrors(() => callTool(surface, request, params)),
  );
  server.setRequestHandler('resources/list', ({ params }) =>
    withProtocolErrors(() => listResources(surface, request, params?.cursor)),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templatesFor(scopes) }));
  server.setRequestHandler('resources/read', ({ params }) =>
    withProtocolErrors(() => readResource(surface, request, params.uri)),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: promptsFor(scopes) }));
  server.setRequestHandler('prompts/get', ({ params }) =>
    withProtocolErrors(() => getPrompt(surface, request, params)),
  );
  return server;
}

/** Parameters of many tools, described once in the instructions. */
const aboutFields = Object.entries(usualFields)
  .map(([name, { input }]) => `${name}: ${input.meta()?.description}.`)
  .join('\n');

const aboutTools = `These tools read and write the content of one creator's site, within the scopes of the API key.
Reads return public records that are not drafts. If the content of a post is withheld, gate_reason gives the reason.
Lists omit content and texts over 500 characters unless fields names them. They also omit unset values, visibility
(always public) and updated if it equals created. For the next page, send next_cursor as cursor.
Filters are named after fields: with several values, any of them matches; _from is at or after, _before is before a time or
date; _min and _max limit numbers. q searches for words. A leading minus sign in sort means descending.
${aboutFields}
New records are public immediately, unless their fields specify otherwise. Updates change only the given fields; an empty value
unsets a field, or null if the schema allows it. The site's owner can restore deleted records for ${retentionDays.trash} days.
With a write scope for a collection, list_drafts and get_draft return its drafts.
Times have the form 2026-01-31 09:05:00.123Z, always in UTC. An error is {"error":{"code","message"}}.`;

/** Returns the first instructions of an assistant: how the tools behave, or why this key has none. */
const instructionsFor = (granted: readonly string[]) =>
  mcpScopeNames.some((scope) => granted.includes(scope)) ? aboutTools : whyNoTools(granted);

const whyNoTools = (granted: readonly string[]) =>
  `No tools are available for this API key, because none of its scopes (${granted.join(', ')}) is for assistants.
mcp:read allows reading all content and the profile, and mcp:write allows changing them. Each other scope allows one thing:
${mcpScopeNames.filter((scope) => scope !== 'mcp:read' && scope !== 'mcp:write').join(', ')}.
The site's owner can create a key with the required scopes, or add them to this key.`;

/** Throws our errors as protocol errors. */
async function withProtocolErrors<T>(answer: () => Promise<T>): Promise<T> {
  try {
    return await answer();
  } catch (error) {
    throw protocolErrorOf(error);
  }
}

/** The SDK's own schema would drop a field named `__proto__`, which the contract of the tool's input refuses. */
const ToolCall = z.object({
  name: z.string(),
  arguments: z.custom<object>((value) => typeof value === 'object' && value !== null).optional(),
});

/**
 * Disables the JSON Schema compiler that the SDK creates for every server in 2 ms. It would validate answers to
 * elicitation, which this server does not use.
 */
const noElicitation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'elicitation is not offered',
  }),
};
