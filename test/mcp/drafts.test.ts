import { expect, test } from 'vitest';
import type { Scope } from '../../shared/contract/scopes.ts';
import { sharing } from '../../shared/contract/sharing.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { restResources } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';

// Assistants can continue their own work: drafts of the collections that they may write in, and the profile.

const missing = { error: { code: 'not_found', message: 'not found' } };

async function assistantWith(app: TestApp, ...scopes: Scope[]) {
  return connectAssistant(app, await app.seed.key({ scopes: ['write', ...scopes] }));
}

test.each(restResources.filter(({ fields }) => 'is_draft' in fields))(
  '$collection: an assistant that may write finds every draft, and gets all of its fields',
  async ({ collection, full, fields }) => {
    await using app = await startApp();
    const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
    const own = collection as 'posts';
    const draft = { ...full, is_draft: true, visibility: 'private' } as unknown as { title: string };
    const { id } = await studio[own].create.mutate(draft);
    const { slug: _, ...published } = { ...full, is_draft: false } as Record<string, unknown>;
    const { id: other } = await studio[own].create.mutate(published as { title: string });
    await using assistant = await assistantWith(app, `mcp:${own}:write`);
    const [name = ''] = 'title' in fields ? ['title'] : Object.keys(fields);
    const timestamp = '2026-01-31 09:05:00.123Z';
    expect(await assistant.callTool('list_drafts', { collection })).toEqual({
      items: [{ id, title: full[name], created: timestamp, revision: 1 }],
      page: 1,
      per_page: 50,
      total: 1,
    });
    const { publish_at, created_by: _by, ...kept } = await studio[own].get.query({ id });
    const record = withoutStudioFields(kept);
    expect(publish_at).toBe(null);
    const got = await assistant.callTool('get_draft', { collection, id });
    expect(got).toEqual(JSON.parse(JSON.stringify(record), (_key, value) => inOurForm(value)));
    expect(await assistant.callTool('get_draft', { collection, id: other })).toEqual(missing);
  },
);

/** Removes the fields for sharing, which only the studio receives. */
const withoutStudioFields = (record: object) =>
  Object.fromEntries(
    Object.entries(record).filter(([name]) => !(name in sharing) && name !== 'lessons_published'),
  );

const inOurForm = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? value.replace('T', ' ') : value;

test('the scopes of the key decide which collections show drafts', async () => {
  await using app = await startApp();
  await using assistant = await assistantWith(app, 'mcp:posts:write', 'mcp:talks:read');
  expect(await assistant.callTool('list_drafts', { collection: 'posts' })).toMatchObject({ total: 0 });
  const refusal = (scope: string) => ({
    error: {
      code: 'insufficient_scope',
      message: expect.stringContaining(`required ${scope}; the API key has `),
    },
  });
  for (const collection of ['talks', 'courses'] as const) {
    const needed = refusal(`mcp:${collection}:write`);
    expect(await assistant.callTool('list_drafts', { collection })).toEqual(needed);
    expect(await assistant.callTool('get_draft', { collection, id: 'a'.repeat(15) })).toEqual(needed);
  }
  for (const collection of ['skills', 'pages', 'members', 'lessons'])
    expect(await assistant.callTool('list_drafts', { collection })).toMatchObject({
      error: { code: 'invalid_request' },
    });
});

test('an assistant that only reads gets no drafts', async () => {
  await using app = await startApp();
  await using assistant = await assistantWith(app, 'mcp:read');
  for (const tool of ['list_drafts', 'get_draft'])
    expect(await assistant.callTool(tool, { collection: 'posts', id: 'a'.repeat(15) })).toMatchObject({
      error: { code: 'insufficient_scope' },
    });
  expect(await assistant.toolNames()).not.toContain('list_drafts');
});

test('drafts of another site are neither listed nor found, and its profile stays unchanged', async () => {
  await using app = await startApp();
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id } = await theirs.posts.create.mutate({ title: 'Theirs', is_draft: true });
  const before = await theirs.profile.get.query();
  await using assistant = await assistantWith(app, 'mcp:write');
  expect(await assistant.callTool('list_drafts', { collection: 'posts' })).toMatchObject({ total: 0 });
  expect(await assistant.callTool('get_draft', { collection: 'posts', id })).toEqual(missing);
  await assistant.callTool('update_profile', { name: 'Ours' });
  expect(await theirs.profile.get.query()).toEqual(before);
});

test('an assistant with the scope for it updates the profile by the rules of the owner', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read'] });
  await using assistant = await assistantWith(app, 'mcp:profile:write');
  expect(await assistant.callTool('update_profile', { name: 'Ada', cta_enabled: true })).toEqual({
    status: 'updated',
  });
  expect(await app.get('/api/v1/profile', { key })).toMatchObject({
    body: { name: 'Ada', cta_enabled: true, headline: '' },
  });
  expect(await assistant.callTool('update_profile', { email: 'no address', rank: 1 })).toMatchObject({
    error: { code: 'validation_failed', fields: [{ path: 'email' }, { path: 'rank' }] },
  });
  await using writer = await assistantWith(app, 'mcp:profile:read', 'mcp:posts:write');
  expect(await writer.callTool('update_profile', { name: 'Eve' })).toMatchObject({
    error: { code: 'insufficient_scope' },
  });
});

test('procedures for assistants only are not available over RPC', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read', 'write', 'mcp:write'] });
  const answer = await app.post('/trpc/assistants.profile.update', { key, body: { json: { name: 'Eve' } } });
  expect(answer.status).toBe(404);
});
