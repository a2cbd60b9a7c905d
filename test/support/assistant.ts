import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from './app.ts';
import type { CallOptions } from './http.ts';
import { ownerClient } from './rpc.ts';

/** The official client, connected to `/mcp` with an API key. Dispose of it before the app. */
export async function connectAssistant(app: TestApp, key: string) {
  const client = new Client({ name: 'test-assistant', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', app.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** What a tool answers: its structured content, or the error that its text holds. */
    async callTool(name: string, input: Record<string, unknown> = {}): Promise<unknown> {
      // Tools of this server answer at once, never with a task.
      const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
      return result.isError ? errorOf(result) : result.structuredContent;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}

/** The body that an error of a tool has as its text. */
export function errorOf({ content: [first] }: CallToolResult): unknown {
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

/** Sends one JSON-RPC request to `/mcp` as it is, without a client between. */
export const sendMessage = (app: TestApp, message: unknown, options: CallOptions = {}) =>
  app.post('/mcp', { body: message, ...options });

export const toolCall = (name: string, input: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
});

export const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

/** As the owner of the first site: whether assistants may connect. */
export async function setKillSwitch(app: TestApp, assistants: 'on' | 'off') {
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await owner.studio.site.update.mutate({ mcp_enabled: assistants === 'on' });
}
