import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import { ApiError } from '../../kernel/errors.ts';
import type { McpRequest } from './mcp-request.ts';
import { createMcpServer } from './server.ts';
import type { McpSurface } from './surface.ts';

interface Sent {
  message: object;
  /** `MCP-Protocol-Version` */
  version: string | string[] | undefined;
}

/**
 * What the protocol answers to a message; an empty body to one that wants no answer. Throws `invalid_request` for a
 * message that is none of JSON-RPC's, and for a version that isn't spoken.
 */
export async function dispatch(surface: McpSurface, request: McpRequest, sent: Sent) {
  const server = createMcpServer(surface, request);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const response = await transport.handleRequest(requestWith(sent), { parsedBody: sent.message });
    if (!response.ok) throw new ApiError('invalid_request', await objectionOf(response));
    return { status: response.status, body: await response.text() };
  } finally {
    await server.close();
  }
}

/** The transport is told what it insists on: answers here are JSON, whatever the client says it accepts. */
function requestWith({ version }: Sent): Request {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version !== undefined && { 'mcp-protocol-version': String(version) }),
  });
  return new Request('http://mcp/', { method: 'POST', headers });
}

async function objectionOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return error.message;
}
