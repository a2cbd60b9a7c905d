import { request } from 'node:http';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant, initialize, sendMessage, toolCall } from '../support/assistant.ts';
import { failure } from '../support/http.ts';

const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
const invalidParams = -32602;

test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])(
  'protocol version %s is served',
  async (version) => {
    await using app = await startApp();
    const key = await app.seed.key({ scopes: ['mcp:read'] });
    expect(await sendMessage(app, initialize(version), { key })).toEqual({
      status: 200,
      body: {
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: version,
          capabilities: { tools: {}, resources: {}, prompts: {} },
          serverInfo: {
            name: 'creator-content-service',
            title: 'Creator Content Service',
            version: '1.0.0',
          },
          instructions: expect.any(String),
        },
      },
    });
    const headers = { 'mcp-protocol-version': version };
    expect(await sendMessage(app, ping, { key, headers })).toEqual({
      status: 200,
      body: { jsonrpc: '2.0', id: 7, result: {} },
    });
  },
);

test('a request needs no Accept header and no earlier message, and gets JSON', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  for (const accept of [
    '*/*',
    'application/json',
    'text/event-stream',
    'application/json, text/event-stream',
  ]) {
    const answer = await sendMessage(app, toolCall('list_skills'), { key, headers: { accept } });
    expect(answer).toMatchObject({ status: 200, body: { result: { structuredContent: { data: [] } } } });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(answer.headers.get('mcp-session-id')).toBeNull();
  }
});

test('a notification gets 202 without a body', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  const sent = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await sendMessage(app, sent, { key })).toEqual({ status: 202, body: undefined });
});

test('other methods get 405, because there are no streams and no sessions', async () => {
  await using app = await startApp();
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const answer = await app.call(method, '/mcp');
    expect(answer).toEqual(failure(405, 'method_not_allowed'));
    expect(answer.headers.get('allow')).toBe('POST');
  }
  expect(await app.get('/mcp/')).toEqual(failure(404, 'not_found'));
});

test('a preflight of a browser is allowed', async () => {
  await using app = await startApp();
  const preflight = await app.call('OPTIONS', '/mcp', {
    headers: {
      origin: 'https://chat.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-protocol-version',
    },
  });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  expect(preflight.headers.get('access-control-allow-headers')).toBe(
    'authorization,content-type,mcp-protocol-version',
  );
});

test('a body that is not a JSON-RPC message gets an error in the form of REST', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  const bodies = [
    '',
    '{',
    'null',
    '7',
    '{}',
    '{"jsonrpc":"1.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '\u0000',
  ];
  for (const body of bodies) {
    expect(await sendMessage(app, body, { key }), body).toEqual(
      failure(400, 'invalid_request', expect.any(String)),
    );
  }
  const batch = await sendMessage(app, [ping, ping], { key });
  expect(batch).toEqual(failure(400, 'invalid_request', expect.stringContaining('expected a JSON object')));
});

test('a body of another type, or too large, is refused', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:write'] });
  for (const type of ['text/plain', 'application/jsonp', 'application/json; charset=latin1']) {
    const answer = await sendMessage(app, ping, { key, headers: { 'content-type': type } });
    expect(answer, type).toEqual(failure(400, 'invalid_request', expect.any(String)));
  }
  const huge = toolCall('create_post', { title: 'x', content: 'x'.repeat(3_000_000) });
  expect(await sendMessage(app, huge, { key })).toEqual(
    failure(413, 'payload_too_large', expect.any(String)),
  );
});

test('a chunked body is refused at the limit', async () => {
  await using app = await startApp({ config: { bodyLimitBytes: 1_000 } });
  const key = await app.seed.key({ scopes: ['mcp:write'] });
  const status = await new Promise((resolve, reject) => {
    const sent = request(`${app.baseUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    sent.on('response', ({ statusCode }) => resolve(statusCode)).on('error', reject);
    sent.write(' '.repeat(600));
    sent.end(' '.repeat(600));
  });
  expect(status).toBe(413);
});

test('an unknown method, tool or resource is a protocol error', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  const errorOf = (message: object) => protocolError(app, key, message);
  const noMethod = { code: -32601, message: 'unknown method', data: { code: 'not_found' } };
  const noTool = { code: invalidParams, message: 'unknown tool', data: { code: 'invalid_request' } };
  const noResource = { code: -32002, message: 'not found', data: { code: 'not_found' } };
  const noPrompt = { ...noTool, message: 'unknown prompt' };
  expect(await errorOf({ method: 'no/such' })).toEqual(noMethod);
  expect(await errorOf({ method: 'constructor' })).toEqual(noMethod);
  expect(await errorOf({ method: 'logging/setLevel', params: { level: 'info' } })).toEqual(noMethod);
  expect(await errorOf({ method: 'tools/call', params: { name: 'no_such' } })).toEqual(noTool);
  expect(await errorOf({ method: 'tools/call', params: { name: 'constructor' } })).toEqual(noTool);
  for (const uri of ['site://posts/none', 'site://posts/a/b', 'file:///etc/passwd']) {
    expect(await errorOf({ method: 'resources/read', params: { uri } })).toEqual(noResource);
  }
  expect(await errorOf({ method: 'prompts/get', params: { name: 'no_such' } })).toEqual(noPrompt);
});

test('malformed parameters of each MCP method are refused with our own messages', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  const start = initialize('2025-11-25').params;
  const broken: [string, unknown, string][] = [
    ['initialize', undefined, 'params: is missing or malformed'],
    ['initialize', {}, 'params.protocolVersion: is missing or malformed'],
    ['initialize', { ...start, clientInfo: { name: 1 } }, 'params.clientInfo.name: is missing or malformed'],
    ['initialize', { ...start, capabilities: [] }, 'params.capabilities: is missing or malformed'],
    ['ping', { _meta: 7 }, 'params._meta: is missing or malformed'],
    ['tools/list', { cursor: 7 }, 'params.cursor: is missing or malformed'],
    ['tools/call', undefined, 'params: is missing or malformed'],
    ['tools/call', { name: 7 }, 'params.name: is missing or malformed'],
    ['tools/call', { name: 'list_posts', arguments: [] }, 'params.arguments: is missing or malformed'],
    ['resources/list', [], 'params: is missing or malformed'],
    ['resources/templates/list', 'x', 'params: is missing or malformed'],
    ['resources/read', {}, 'params.uri: is missing or malformed'],
    ['prompts/list', { cursor: {} }, 'params.cursor: is missing or malformed'],
    ['prompts/get', { name: 'draft_post', arguments: { topic: 1 } }, 'params.arguments.topic: is missing'],
    ['prompts/get', { name: 'draft_post' }, 'topic'],
  ];
  for (const [method, params, told] of broken) {
    expect(await protocolError(app, key, { method, params }), method).toEqual({
      code: invalidParams,
      message: expect.stringContaining(told),
      data: { code: 'invalid_request' },
    });
  }
});

async function protocolError(app: TestApp, key: string, message: object) {
  const { status, body } = await sendMessage(app, { jsonrpc: '2.0', id: 3, ...message }, { key });
  expect(status).toBe(200);
  expect(body).toEqual({ jsonrpc: '2.0', id: 3, error: expect.any(Object) });
  return (body as { error: unknown }).error;
}

test('input that breaks the contract is a tool error with the code and the invalid fields', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read', 'mcp:write'] });
  await using assistant = await connectAssistant(app, key);
  const failed = (code: string, message: unknown = expect.any(String)) => ({ error: { code, message } });
  const broken = (path: string) => ({
    error: {
      code: 'validation_failed',
      message: expect.stringContaining(path),
      fields: [{ path, message: expect.any(String) }],
    },
  });
  expect(await assistant.callTool('create_post')).toEqual(broken('title'));
  expect(await assistant.callTool('create_post', { title: 'a\u0000b' })).toEqual(broken('title'));
  expect(await assistant.callTool('create_post', { title: '\ud800' })).toEqual(broken('title'));
  expect(await assistant.callTool('create_post', { title: 'x', is_draft: 'false' })).toEqual(
    broken('is_draft'),
  );
  expect(await assistant.callTool('list_posts', { limit: 0 })).toEqual(failed('invalid_request'));
  expect(await assistant.callTool('get_post', { slug: "' or 1=1 --" })).toEqual(
    failed('not_found', 'not found'),
  );
  const proto = JSON.stringify(toolCall('create_post')).replace('{}', '{"title":"x","__proto__":{"a":1}}');
  expect(await sendMessage(app, proto, { key })).toMatchObject({ body: { result: { isError: true } } });
  expect(await assistant.callTool('list_posts')).toMatchObject({ total: 0 });
});

test('a body with 100,000 levels of nesting gets an answer', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:write'] });
  const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const body = JSON.stringify(toolCall('create_post')).replace('{}', `{"title":${nested}}`);
  expect(await sendMessage(app, body, { key })).toMatchObject({
    status: 200,
    body: { result: { isError: true, content: [{ text: expect.stringContaining('validation_failed') }] } },
  });
  expect((await sendMessage(app, ping, { key })).status).toBe(200);
});

test('a failure of the server does not reveal its cause', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  await app.deps.database.em.execute(
    'alter table skills rename to lost; alter table posts rename to lost_too',
  );
  await using assistant = await connectAssistant(app, key);
  expect(await assistant.callTool('list_skills')).toEqual({
    error: { code: 'internal_error', message: 'internal error' },
  });
  await expect(assistant.client.listResources()).rejects.toMatchObject({
    code: -32603,
    message: 'internal error',
    data: { code: 'internal_error' },
  });
});
