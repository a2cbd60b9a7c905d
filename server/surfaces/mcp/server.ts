import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import { version } from '../openapi/document.ts';
import { callTool } from './call-tool.ts';
import { answer } from './handlers.ts';
import type { McpRequest } from './mcp-request.ts';
import { getPrompt, promptsFor } from './prompts.ts';
import { listResources, readResource, templatesFor } from './resources.ts';
import type { McpSurface } from './surface.ts';
import { toolsFor } from './tools.ts';

const info = { name: 'creator-content-service', title: 'Creator Content Service', version };

const instructions = `These tools read and write the content of one creator's site, within the scopes of the API key.
Reads give public records that are not drafts; a post's body may be withheld, with gate_reason saying why.
Moments read like 2026-01-31 09:05:00.123Z, always UTC. An error is {"error":{"code","message"}}.`;

/** An MCP server for one request: nothing is kept between messages, so any process can answer any of them. */
export function createMcpServer(surface: McpSurface, request: McpRequest): Server {
  const { scopes } = request.key;
  const server = new Server(info, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions,
    jsonSchemaValidator: noElicitation,
  });
  answer(server, ListToolsRequestSchema, () => ({ tools: toolsFor(surface.tools, scopes) }));
  answer(server, CallTool, (params) => callTool(surface, request, params));
  answer(server, ListResourcesRequestSchema, (params) => listResources(surface, request, params?.cursor));
  answer(server, ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: templatesFor(scopes) }));
  answer(server, ReadResourceRequestSchema, ({ uri }) => readResource(surface, request, uri));
  answer(server, ListPromptsRequestSchema, () => ({ prompts: promptsFor(scopes) }));
  answer(server, GetPromptRequestSchema, (params) => getPrompt(surface, request, params));
  return server;
}

/** As the SDK's, but with the arguments untouched: their contract is the procedure's, down to a field named `__proto__`. */
const CallTool = z.object({
  method: CallToolRequestSchema.shape.method,
  params: z.object({ name: z.string(), arguments: z.unknown().optional() }),
});

/** The SDK makes a JSON Schema compiler for every server, 2 ms each, for questions to the user that are never asked here. */
const noElicitation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'elicitation is not offered',
  }),
};
