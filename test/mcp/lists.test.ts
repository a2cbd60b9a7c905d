import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { anyId } from '../support/matchers.ts';

type List = { data: Record<string, unknown>[] };

const long = 'long '.repeat(101);
const short = 'short';

test('lists omit the content of posts and texts over 500 characters, unless fields names them', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read'] });
  const post = { title: 'Post', content: short, excerpt: long };
  await app.post('/api/v1/posts', { key, body: post });
  await app.post('/api/v1/projects', { key, body: { title: 'Long', description: long } });
  await app.post('/api/v1/projects', { key, body: { title: 'Short', description: short } });
  await using assistant = await connectAssistant(app, key);
  const list = async (tool: string, input: Record<string, unknown> = {}) =>
    ((await assistant.callTool(tool, input)) as List).data;

  const [unasked] = await list('list_posts');
  const requested = await list('list_posts', { fields: ['title', 'content', 'excerpt'] });
  const projects = await list('list_projects');
  const described = await list('list_projects', { fields: ['title', 'description'], sort: 'title' });

  expect(unasked).toMatchObject({ title: 'Post', slug: 'post' });
  expect(unasked).not.toHaveProperty('content');
  expect(unasked).not.toHaveProperty('excerpt');
  expect(requested).toEqual([{ title: 'Post', content: short, excerpt: long }]);
  expect(projects.map(({ title, description }) => [title, description])).toEqual(
    expect.arrayContaining([
      ['Long', undefined],
      ['Short', short],
    ]),
  );
  expect(described).toEqual([
    { title: 'Long', description: long },
    { title: 'Short', description: short },
  ]);
});

test('lists omit unset values and values that every record shares, unless fields names them', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read'] });
  await app.post('/api/v1/talks', { key, body: { title: 'Talk', location: 'Porto' } });
  await using assistant = await connectAssistant(app, key);
  const talk = { id: anyId, title: 'Talk', location: 'Porto', sort_order: 0, created: expect.any(String) };
  expect(await assistant.callTool('list_talks')).toEqual({ data: [talk] });
  expect(await assistant.callTool('list_talks', { fields: ['event', 'date', 'visibility'] })).toEqual({
    data: [{ event: '', date: null, visibility: 'public' }],
  });
});

test("a list contains the reason why a post's body would be withheld, although it omits bodies", async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read'] });
  await app.post('/api/v1/posts', { key, body: { title: 'Post', content: short, access_tier: 'paid' } });
  await using assistant = await connectAssistant(app, key);
  expect(await assistant.callTool('list_posts')).toMatchObject({
    data: [{ title: 'Post', is_gated: true, gate_reason: 'purchase_required' }],
  });
});

test('every list takes fields, and refuses a name that its records do not have', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: scopeNames }));
  const { tools } = await assistant.client.listTools();
  const lists = tools.filter(({ name }) => name.startsWith('list_') && name !== 'list_events');
  expect(lists.map(({ inputSchema }) => inputSchema.properties)).toEqual(
    lists.map(() =>
      expect.objectContaining({
        fields: expect.objectContaining({ items: { type: 'string', enum: expect.arrayContaining(['id']) } }),
      }),
    ),
  );
  for (const { name } of lists) {
    expect(await assistant.callTool(name, { collection: 'posts', fields: ['id', 'secret'] }), name).toEqual({
      error: { code: 'invalid_request', message: expect.stringContaining('fields') },
    });
  }
});

test('a key that may not list is refused, whatever fields it requests', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: ['mcp:skills:write'] }));
  expect(await assistant.callTool('list_skills', { fields: ['nothing'] })).toMatchObject({
    error: { code: 'insufficient_scope' },
  });
});
