import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { connectAssistant, sendMessage } from '../support/assistant.ts';

test('the OpenAPI document and all readable posts are resources, 100 posts per page', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:posts:read'] });
  await app.post('/api/v1/posts', { key, body: { title: 'Draft', is_draft: true } });
  for (let post = 1; post <= 101; post++) {
    app.clock.advance({ ms: 1 });
    await app.post('/api/v1/posts', { key, body: { title: `Post ${post}`, excerpt: `About ${post}` } });
  }
  const page = async (params: { cursor?: string }) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'resources/list', params };
    const { body } = await sendMessage(app, message, { key });
    return (body as { result: { resources: { uri: string }[]; nextCursor?: string } }).result;
  };
  const first = await page({});
  expect(first.resources.slice(0, 2)).toEqual([
    {
      uri: 'site://openapi.json',
      name: 'openapi.json',
      title: 'REST API of the site',
      description: 'OpenAPI 3.1 document with all endpoints, fields, scopes and errors',
      mimeType: 'application/json',
    },
    {
      uri: 'site://posts/post-101',
      name: 'post-101',
      title: 'Post 101',
      description: 'About 101',
      mimeType: 'text/markdown',
    },
  ]);
  expect(first.resources).toHaveLength(101);
  const second = await page({ cursor: first.nextCursor ?? '' });
  expect(second.resources.map(({ uri }) => uri)).toEqual(['site://posts/post-1']);
  expect(second.nextCursor).toBeUndefined();
});

test('a post is Markdown; a gated one has only the teaser and the reason', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:posts:read'] });
  const post = { title: 'Hello', content: 'Body.\n', excerpt: 'Teaser.' };
  await app.post('/api/v1/posts', { key, body: post });
  await app.post('/api/v1/posts', { key, body: { ...post, slug: 'paid', access_tier: 'paid' } });
  await using assistant = await connectAssistant(app, key);
  const read = async (uri: string) => (await assistant.client.readResource({ uri })).contents;
  expect((await assistant.client.listResourceTemplates()).resourceTemplates).toMatchObject([
    { uriTemplate: 'site://posts/{slug}', mimeType: 'text/markdown' },
  ]);
  expect(await read('site://posts/hello')).toEqual([
    { uri: 'site://posts/hello', mimeType: 'text/markdown', text: '# Hello\n\nBody.\n' },
  ]);
  expect(await read('site://posts/paid')).toEqual([
    {
      uri: 'site://posts/paid',
      mimeType: 'text/markdown',
      text: '# Hello\n\nTeaser.\n\n(The content is withheld: purchase_required)\n',
    },
  ]);
});

test('the OpenAPI document is a readable resource', async () => {
  await using app = await startApp();
  await using assistant = await connectAssistant(app, await app.seed.key({ scopes: ['mcp:profile:read'] }));
  const { contents } = await assistant.client.readResource({ uri: 'site://openapi.json' });
  const [document] = contents.map((content) => ('text' in content ? JSON.parse(content.text) : null));
  expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
  expect(Object.keys(document.paths).length).toBeGreaterThan(20);
});

test('without the scope for posts an assistant can neither list nor read posts, and there is no prompt', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:profile:read'] });
  await app.post('/api/v1/posts', { key, body: { title: 'Hello' } });
  await using assistant = await connectAssistant(app, key);
  const { client } = assistant;
  expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['openapi.json']);
  expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
  expect((await client.listPrompts()).prompts).toEqual([]);
  const refusal = { code: -32602, message: expect.stringContaining('required mcp:posts:read') };
  await expect(client.readResource({ uri: 'site://posts/hello' })).rejects.toMatchObject(refusal);
  await expect(client.getPrompt({ name: 'draft_post', arguments: { topic: 'x' } })).rejects.toMatchObject(
    refusal,
  );
});

test('the prompt contains the beginnings of posts that are too long to be listed together', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read'] });
  for (let post = 1; post <= 5; post++)
    await app.post('/api/v1/posts', {
      key,
      body: { title: `Post ${post}`, content: 'long '.repeat(60_000) },
    });
  await using assistant = await connectAssistant(app, key);
  const { messages } = await assistant.client.getPrompt({ name: 'draft_post', arguments: { topic: 'x' } });
  expect(
    messages.slice(1).map(({ content }) => JSON.stringify(content).includes('long long') && content.type),
  ).toEqual(Array(5).fill('resource'));
});

test('the prompt requests a draft on a topic, with the profile and the latest five posts as samples', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read', 'mcp:posts:write'] });
  for (let post = 1; post <= 6; post++) {
    app.clock.advance({ ms: 1 });
    await app.post('/api/v1/posts', { key, body: { title: `Post ${post}`, content: `Body ${post}` } });
  }
  await using assistant = await connectAssistant(app, key);
  expect((await assistant.client.listPrompts()).prompts).toEqual([
    {
      name: 'draft_post',
      title: "Draft a post in the site's voice",
      description: expect.any(String),
      arguments: [
        { name: 'topic', description: 'Topic of the post', required: true },
        { name: 'notes', description: expect.any(String), required: false },
      ],
    },
  ]);
  const prompt = { name: 'draft_post', arguments: { topic: 'Cursors', notes: 'Mention keysets' } };
  const { messages } = await assistant.client.getPrompt(prompt);
  const [task, ...samples] = messages.map(({ content }) =>
    content.type === 'text' ? content.text : content.type === 'resource' && content.resource,
  );
  for (const part of ['the site of A site', 'Topic: Cursors', 'Notes: Mention keysets', 'create_post']) {
    expect(task).toContain(part);
  }
  expect(samples).toEqual(
    [6, 5, 4, 3, 2].map((post) => ({
      uri: `site://posts/post-${post}`,
      mimeType: 'text/markdown',
      text: `# Post ${post}\n\nBody ${post}\n`,
    })),
  );
});
