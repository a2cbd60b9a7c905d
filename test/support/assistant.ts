import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestApp } from './app.ts';
import type { CallOptions } from './http.ts';
import { ownerClient } from './rpc.ts';

/** Connects the official client to `/mcp` with an API key. Dispose of it before the app. */
export async function connectAssistant(app: TestApp, key: string) {
  const client = new Client({ name: 'test-assistant', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', app.baseUrl), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return {
    client,
    toolNames: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Calls a tool. Returns its structured content, or the error that its text contains. */
    async callTool(name: string, input: Record<string, unknown> = {}): Promise<unknown> {
      // Tools of this server answer immediately, never with a task.
      const result = (await client.callTool({ name, arguments: input })) as CallToolResult;
      return result.isError ? errorOf(result) : result.structuredContent;
    },
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}

/** Returns the error in the text of a tool's result; undefined if there is none. */
export function errorOf({ content: [first] }: CallToolResult): unknown {
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

/** Sends one JSON-RPC request to `/mcp` unchanged, without a client library. */
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

/** Turns access by assistants on or off, as the owner of the first site. */
export async function setKillSwitch(app: TestApp, assistants: 'on' | 'off') {
  const owner = ownerClient(app.baseUrl, await app.seed.ownerToken());
  await owner.studio.site.update.mutate({ mcp_enabled: assistants === 'on' });
}
