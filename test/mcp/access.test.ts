import { expect, test } from 'vitest';
import type { Scope } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import {
  connectAssistant,
  errorOf,
  initialize,
  sendMessage,
  setKillSwitch,
  toolCall,
} from '../support/assistant.ts';
import { failure } from '../support/http.ts';

const message = initialize('2025-11-25');

test('without a key, or with an unknown one, every request gets 401', async () => {
  await using app = await startApp();
  const none = await sendMessage(app, message);
  expect(none).toEqual(failure(401, 'unauthorized'));
  expect(none.headers.get('www-authenticate')).toMatch(/^Bearer resource_metadata="/);
  expect(await sendMessage(app, message, { key: 'svc_live_nothing' })).toEqual(
    failure(401, 'unauthorized', 'invalid API key'),
  );
  const owner = await app.seed.ownerToken();
  expect(await sendMessage(app, message, { key: owner })).toEqual(
    failure(
      401,
      'unauthorized',
      "the Authorization header contains an owner's session token; this path requires an API key",
    ),
  );
});

test('a key that is expired, or on a plan without assistants, is refused before its message is read', async () => {
  await using app = await startApp();
  const expired = await app.seed.key({ scopes: ['mcp:read'], expiry: app.clock.inMinutes(-1) });
  const free = await app.seed.key({ scopes: ['mcp:read'], siteId: await app.seed.site({ plan: 'free' }) });
  expect(await sendMessage(app, '{', { key: expired })).toEqual(failure(403, 'key_expired'));
  expect(await sendMessage(app, '{', { key: free })).toEqual(
    failure(403, 'insufficient_scope', "the site's plan does not include assistant access"),
  );
});

test('a disabled key is refused from its next message on', async () => {
  await using app = await startApp();
  const owner = await app.seed.ownerToken();
  const created = await app.post('/api/admin/api-keys', {
    key: owner,
    body: { name: 'Assistant', scopes: ['mcp:read', 'mcp:webhooks:write'] },
  });
  const { id, key } = created.body as { id: string; key: string };
  expect((await sendMessage(app, message, { key })).status).toBe(200);
  await app.patch(`/api/admin/api-keys/${id}`, { key: owner, body: { active: false } });
  expect(await sendMessage(app, message, { key })).toEqual(failure(403, 'key_disabled'));
});

test('the kill switch of a site stops its assistants with the next message, and nothing else', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'mcp:read', 'mcp:write'] });
  await setKillSwitch(app, 'off');
  expect(await sendMessage(app, toolCall('list_posts'), { key })).toEqual(failure(403, 'mcp_disabled'));
  expect((await app.get('/api/v1/posts', { key })).status).toBe(200);
  await setKillSwitch(app, 'on');
  expect((await sendMessage(app, toolCall('list_posts'), { key })).status).toBe(200);
});

test('a key with origins is refused from others and without an origin; a key without origins accepts all', async () => {
  await using app = await startApp();
  const bound = await app.seed.key({ scopes: ['mcp:read'], allowed_origins: ['https://chat.example.com'] });
  const open = await app.seed.key({ scopes: ['mcp:read'] });
  const from = (key: string, headers: Record<string, string>) => sendMessage(app, message, { key, headers });
  expect((await from(bound, { origin: 'https://chat.example.com' })).status).toBe(200);
  expect(await from(bound, { origin: 'https://evil.example.com' })).toEqual(
    failure(403, 'origin_not_allowed'),
  );
  expect(await from(bound, {})).toEqual(failure(403, 'origin_not_allowed'));
  expect((await from(open, { origin: 'https://evil.example.com' })).status).toBe(200);
  expect((await from(open, {})).status).toBe(200);
});

test('a key gets the tools of its scopes and no others', async () => {
  await using app = await startApp();
  const offered = async (...scopes: Scope[]) => {
    await using assistant = await connectAssistant(app, await app.seed.key({ scopes }));
    return await assistant.toolNames();
  };
  expect(await offered('mcp:posts:read')).toEqual(['list_posts', 'get_post', 'search']);
  expect(await offered('mcp:posts:write')).toEqual([
    'create_post',
    'update_post',
    'delete_post',
    'list_drafts',
    'get_draft',
  ]);
  expect(await offered('mcp:skills:write')).toEqual(['create_skill', 'update_skill', 'delete_skill']);
  expect(await offered('mcp:profile:write')).toEqual(['update_profile']);
  expect(await offered('mcp:courses:read')).toEqual([
    'list_courses',
    'search',
    'get_course',
    'get_course_curriculum',
  ]);
  expect(await offered('mcp:members:read')).toEqual(['list_members']);
  expect(await offered('mcp:events:read')).toEqual(['list_events', 'poll_events']);
  expect(await offered('mcp:webhooks:write')).toEqual(['create_webhook']);
  expect(await offered('read', 'write', 'webhooks', 'read:content')).toEqual([]);
  const reads = await offered('mcp:read');
  expect(reads).toContain('get_profile');
  expect(reads.filter((name) => !/^(list|get)_|^search$/.test(name))).toEqual([]);
  expect(reads.filter((name) => /members|analytics|events/.test(name))).toEqual([]);
  const writes = await offered('mcp:write');
  expect(writes.filter((name) => !/^(create|update|delete)_/.test(name))).toEqual([
    'list_drafts',
    'get_draft',
  ]);
  expect(writes).not.toContain('create_webhook');
});

test('a key without scopes for assistants gets the missing scopes in the instructions', async () => {
  await using app = await startApp();
  const instructionsFor = async (...scopes: Scope[]) => {
    const { body } = await sendMessage(app, message, { key: await app.seed.key({ scopes }) });
    return (body as { result: { instructions: string } }).result.instructions;
  };
  const told = await instructionsFor('read', 'write:webhooks');
  for (const scope of [
    'mcp:read',
    'mcp:write',
    'mcp:posts:write',
    'mcp:members:read',
    'read, write:webhooks',
  ]) {
    expect(told).toContain(scope);
  }
  expect(await instructionsFor('mcp:skills:read')).not.toContain('mcp:');
});

test('calling a tool outside the scopes returns a tool error with the missing scope, and changes nothing', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'write', 'mcp:read'] });
  await using assistant = await connectAssistant(app, key);
  const result = await assistant.client.callTool({ name: 'create_post', arguments: { title: 'No' } });
  expect(result.isError).toBe(true);
  expect(errorOf(result as Parameters<typeof errorOf>[0])).toEqual({
    error: {
      code: 'insufficient_scope',
      message: expect.stringMatching(/^insufficient scope: required mcp:posts:write; the API key has /),
    },
  });
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ body: { total: 0 } });
});

test('scopes of assistants open nothing over REST', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read', 'mcp:write', 'mcp:members:read'] });
  expect(await app.get('/api/v1/posts', { key })).toEqual(failure(403, 'insufficient_scope'));
  expect(await app.post('/api/v1/posts', { key, body: { title: 'No' } })).toEqual(
    failure(403, 'insufficient_scope'),
  );
  expect(await app.get('/api/v2/members', { key })).toEqual(failure(403, 'insufficient_scope'));
});

test('the assistant of a site neither reads nor changes records of another site', async () => {
  await using app = await startApp();
  const mine = await app.seed.key();
  const scopes = ['mcp:read', 'mcp:write'] as const;
  const theirs = await app.seed.key({ siteId: await app.seed.site(), scopes: [...scopes] });
  const created = await app.post('/api/v1/posts', { key: mine, body: { title: 'Mine' } });
  const { id } = created.body as { id: string };
  await using assistant = await connectAssistant(app, theirs);
  const missing = { error: { code: 'not_found', message: 'not found' } };
  expect(await assistant.callTool('list_posts')).toMatchObject({ data: [], total: 0 });
  expect(await assistant.callTool('get_post', { slug: 'mine' })).toEqual(missing);
  expect(await assistant.callTool('update_post', { id, title: 'Theirs' })).toEqual(missing);
  expect(await assistant.callTool('delete_post', { id })).toEqual(missing);
  expect(await app.get('/api/v1/posts/mine', { key: mine })).toMatchObject({ body: { title: 'Mine' } });
});
