import { Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { version } from '../openapi/version.ts';
import { callTool } from './call-tool.ts';
import { instructionsFor } from './instructions.ts';
import type { McpRequest } from './mcp-request.ts';
import { getPrompt, promptsFor } from './prompts.ts';
import { protocolErrorOf } from './protocol-error.ts';
import { listResources, readResource, templatesFor } from './resources.ts';
import type { McpSurface } from './surface.ts';
import { toolsFor } from './tools.ts';

const info = { name: 'creator-content-service', title: 'Creator Content Service', version };

/** An MCP server for one request: nothing is kept between messages, so any process can answer any of them. */
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

/** Throws our errors as the protocol's of the same meaning. */
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

/** The SDK makes a JSON Schema compiler for every server, 2 ms each, for questions to the user that are never asked here. */
const noElicitation = {
  getValidator: () => () => ({
    valid: false as const,
    data: undefined,
    errorMessage: 'elicitation is not offered',
  }),
};
