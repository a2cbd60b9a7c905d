import { afterAll, expect, test } from 'vitest';
import { sendMessage, toolCall } from '../support/assistant.ts';
import { ownerClient } from '../support/rpc.ts';
import { startSignIn } from '../support/sign-in.ts';

// docs/reference/assistant-sign-in.md: capabilities of a connected assistant.

const app = await startSignIn();
afterAll(() => app[Symbol.asyncDispose]());
const owner = await app.person();
const metadata = `resource_metadata="${app.baseUrl}/.well-known/oauth-protected-resource/mcp"`;
const challenge = (answer: { headers: Headers }) => answer.headers.get('www-authenticate');

test('a client without a valid token gets the address for signing in', async () => {
  const none = await sendMessage(app, toolCall('list_posts'));
  expect([none.status, challenge(none)]).toEqual([401, `Bearer ${metadata}, scope="mcp:read"`]);
  expect(none.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  for (const key of [`svc_oauth_access_${'x'.repeat(43)}`, 'svc_live_none', owner.token, 'nonsense']) {
    const bad = await sendMessage(app, toolCall('list_posts'), { key });
    expect([bad.status, challenge(bad)]).toEqual([
      401,
      `Bearer error="invalid_token", ${metadata}, scope="mcp:read"`,
    ]);
  }
});

test('a token of an assistant is valid for /mcp only', async () => {
  const { access_token, refresh_token, call, form } = await app.connect(owner, ['mcp:read', 'mcp:write']);
  expect((await call('list_posts')).status).toBe(200);
  for (const key of [refresh_token, form.code]) expect((await call('list_posts', {}, key)).status).toBe(401);
  for (const path of ['/api/v1/posts', '/api/v2/posts', '/api/admin/session', '/trpc/v1.posts.list'])
    expect([path, (await app.get(path, { key: access_token })).status]).toEqual([path, 401]);
  expect((await app.post('/api/v1/posts', { key: access_token, body: { title: 'By REST' } })).status).toBe(
    401,
  );
});

test('a call with missing scopes gets an HTTP 403 with the required and the granted scopes', async () => {
  const { call } = await app.connect(owner, ['mcp:posts:read']);
  const refused = await call('create_post', { title: 'Not yet' });
  expect(refused).toMatchObject({ status: 403, body: { error: { code: 'insufficient_scope' } } });
  expect(challenge(refused)).toBe(
    `Bearer error="insufficient_scope", scope="mcp:posts:write mcp:posts:read", ${metadata}`,
  );
});

test("an assistant gets the tools of its scopes that the person's role may use", async () => {
  const namesOf = async (token: string) => {
    const { body } = await sendMessage(app, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key: token });
    return (body as { result: { tools: { name: string }[] } }).result.tools.map(({ name }) => name);
  };
  const author = await app.person('author');
  const names = await namesOf((await app.connect(author, ['mcp:read', 'mcp:write'])).access_token);
  expect(names).toEqual(
    expect.arrayContaining(['list_posts', 'create_post', 'list_drafts', 'search', 'get_profile']),
  );
  for (const name of ['update_profile', 'create_skill', 'list_members']) expect(names).not.toContain(name);
});

test('an assistant of an author writes drafts of that author, and publishes nothing', async () => {
  const author = await app.person('author');
  const { call } = await app.connect(author, ['mcp:write']);
  const { studio } = ownerClient(app.baseUrl, author.token);
  await call('create_post', { title: 'A draft' });
  const { items } = await studio.posts.list.query({});
  const draft = items.find(({ title }) => title === 'A draft');
  expect(draft).toMatchObject({ is_draft: true });
  const id = draft?.id ?? '';
  expect(textOf(await call('update_post', { id, excerpt: 'Of an author' }))).not.toContain('error');
  expect(textOf(await call('update_post', { id, is_draft: false }))).toContain('insufficient_role');
  await ownerClient(app.baseUrl, owner.token).studio.posts.update.mutate({ id, is_draft: false });
  expect(textOf(await call('delete_post', { id }))).toContain('insufficient_role');
});

const textOf = ({ body }: { body: unknown }) => JSON.stringify(body);

test('the history contains the assistant and the person who connected it', async () => {
  const { call, id } = await app.connect(owner, ['mcp:write']);
  await call('create_post', { title: 'Written for somebody' });
  const { studio } = ownerClient(app.baseUrl, owner.token);
  const { items } = await studio.posts.list.query({ q: 'Written for somebody' });
  const revisions = await studio.posts.revisions.query({ id: items[0]?.id ?? '' });
  expect(revisions.items[0]?.actor).toEqual({
    kind: 'assistant',
    id,
    name: 'Claude',
    by: { id: owner.id, name: 'Olive Owner' },
  });
  const log = await studio.audit.list.query({ record_id: id });
  expect(log.items.map(({ action, actor }) => [action, actor.id])).toEqual([
    ['studio.assistants.approve', owner.id],
  ]);
});

test('writes of an assistant have their own limit, and its last use is recorded', async () => {
  await using limited = await startSignIn({ limits: { mcp_writes: { perMinute: 1, burst: 1 } } });
  const me = await limited.person();
  const { call } = await limited.connect(me, ['mcp:write']);
  expect((await me.list.query()).data[0]?.last_used).toBeNull();
  expect((await call('create_talk', { title: 'One' })).status).toBe(200);
  expect((await call('create_talk', { title: 'Two' })).status).toBe(429);
  expect((await me.list.query()).data[0]?.last_used).toEqual(limited.clock.now());
});
