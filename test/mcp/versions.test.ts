import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { initialize, sendMessage, toolCall } from '../support/assistant.ts';
import { failure } from '../support/http.ts';

const newest = '2026-07-28';

test('a client that negotiates speaks the newest version: tools, resources and prompts', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read', 'mcp:write'] });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', app.baseUrl), { requestInit }));

  const { tools } = await client.listTools();
  const created = await client.callTool({
    name: 'create_post',
    arguments: { title: 'Hello', content: 'Body.' },
  });
  const listed = await client.callTool({ name: 'list_posts', arguments: {} });
  const post = await client.readResource({ uri: 'site://posts/hello' });
  const { prompts } = await client.listPrompts();

  expect(client.getNegotiatedProtocolVersion()).toBe(newest);
  expect(client.getInstructions()).toContain('These tools');
  expect(tools.map(({ name }) => name)).toContain('create_post');
  expect(created.structuredContent).toEqual({ id: expect.any(String), created: expect.any(String) });
  expect(listed.structuredContent).toMatchObject({ data: [{ title: 'Hello' }], total: 1 });
  expect(post.contents).toMatchObject([{ text: '# Hello\n\nBody.\n' }]);
  expect(prompts.map(({ name }) => name)).toEqual(['draft_post']);
  await client.close();
});

test('in the newest version each request has its own metadata; missing parts are refused with our messages', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  const send = (message: object, headers: Record<string, string> = {}) =>
    sendMessage(app, message, { key, headers: { 'mcp-protocol-version': newest, ...headers } });
  const about = { 'mcp-method': 'tools/call', 'mcp-name': 'list_skills' };
  const refused = (status: number, code: number, more: object = {}) => ({
    status,
    body: {
      jsonrpc: '2.0',
      id: 1,
      error: { code, message: expect.any(String), data: { code: 'invalid_request', ...more } },
    },
  });

  const answered = await send(inVersion(newest, toolCall('list_skills')), about);
  const withoutHeaders = await send(inVersion(newest, toolCall('list_skills')));
  const withoutEnvelope = await send(toolCall('list_skills'), about);
  const unknown = await send(inVersion('2099-01-01', toolCall('list_skills')), {
    ...about,
    'mcp-protocol-version': '2099-01-01',
  });
  const stream = await send(inVersion(newest, { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' }));

  expect(answered).toMatchObject({ status: 200, body: { result: { structuredContent: { data: [] } } } });
  expect(withoutHeaders).toEqual(refused(400, -32020));
  expect(withoutEnvelope).toEqual(refused(400, -32602));
  expect(unknown).toEqual(refused(400, -32022, { supported: [newest], requested: '2099-01-01' }));
  expect(stream).toMatchObject({ status: 404, body: { error: { code: -32601 } } });
});

test('a client with an unknown version gets the latest one with sessions, and is refused if it uses its own', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  expect(await sendMessage(app, initialize('2099-01-01'), { key })).toMatchObject({
    status: 200,
    body: { result: { protocolVersion: '2025-11-25' } },
  });
  const headers = { 'mcp-protocol-version': '2099-01-01' };
  expect(await sendMessage(app, toolCall('list_skills'), { key, headers })).toEqual(
    failure(400, 'invalid_request', expect.stringContaining(`unsupported protocol version; supported:`)),
  );
});

test('a version without structured content gets the whole answer as text, without an output schema', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:skills:read'] });
  for (const version of ['2024-11-05', '2025-03-26']) {
    expect(await resultIn(app, key, version, toolCall('list_skills'))).toEqual({
      content: [{ type: 'text', text: '{"data":[]}' }],
    });
    const { tools } = await resultIn(app, key, version, { jsonrpc: '2.0', id: 1, method: 'tools/list' });
    expect(tools).toEqual([expect.not.objectContaining({ outputSchema: expect.anything() })]);
  }
});

async function resultIn(app: TestApp, key: string, version: string, message: object) {
  const { body } = await sendMessage(app, message, { key, headers: { 'mcp-protocol-version': version } });
  return (body as { result: Record<string, unknown> }).result;
}

/** Adds the metadata that the newest version requires in each message. */
function inVersion(version: string, message: object) {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return { ...message, params: { ...('params' in message && (message.params as object)), _meta } };
}
