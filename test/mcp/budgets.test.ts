import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant, sendMessage, toolCall } from '../support/assistant.ts';

const kilobyte = 1_000;

test('the list of all tools has at most 49 KB, and no schema with a list of types', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: scopeNames });
  const { body } = await sendMessage(app, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key });
  expect(bytesOf(body)).toBeLessThanOrEqual(49 * kilobyte);
  expect(JSON.stringify(body)).not.toContain('"type":[');
});

test('a list of 20 posts has at most 8 KB, whatever the size of their bodies', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:posts:read'] });
  await createPosts(app, key, 20);
  const { body } = await sendMessage(app, toolCall('list_posts'), { key });
  expect(body).toMatchObject({ result: { structuredContent: { count: 20 } } });
  const { content, structuredContent } = (body as { result: Record<string, unknown> }).result;
  expect(bytesOf(content)).toBeLessThanOrEqual(8 * kilobyte);
  expect(bytesOf(structuredContent)).toBeLessThanOrEqual(8 * kilobyte);
});

test('the text of an answer is its JSON, in addition to the structured content', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read', 'mcp:write'] });
  await createPosts(app, key, 3);
  await using assistant = await connectAssistant(app, key);
  const calls: [name: string, input: Record<string, unknown>][] = [
    ['list_posts', { limit: 2 }],
    ['get_post', { slug: 'type-safe-apis-without-a-build-step-1' }],
    ['create_skill', { name: 'Tests\nand more' }],
    ['list_skills', {}],
  ];
  for (const [name, input] of calls) {
    const { content, structuredContent } = await assistant.client.callTool({ name, arguments: input });
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  }
});

test('a list beyond 40 KB has a second text with advice to narrow it', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read'] });
  await createPosts(app, key, 20);
  await using assistant = await connectAssistant(app, key);
  const listed = async (input: Record<string, unknown>) =>
    (await assistant.client.callTool({ name: 'list_posts', arguments: input })).content;

  expect(await listed({ limit: 20 })).toHaveLength(1);
  expect(await listed({ limit: 20, fields: 'title,content' })).toEqual([
    { type: 'text', text: expect.stringContaining('"content":"A body') },
    { type: 'text', text: expect.stringMatching(/fields.*limit.*filter/) },
  ]);
});

const bytesOf = (body: unknown) => Buffer.byteLength(JSON.stringify(body));

async function createPosts(app: TestApp, key: string, count: number) {
  for (let post = 1; post <= count; post++) {
    app.clock.advance({ ms: 1 });
    const body = {
      title: `Type-safe APIs without a build step ${post}`,
      excerpt:
        'What a contract saves you, told in ten minutes, with the three mistakes that everybody makes once.',
      content: 'A body, as long as bodies are. '.repeat(130),
      tags: ['typescript', 'api'],
    };
    expect((await app.post('/api/v1/posts', { key, body })).status).toBe(201);
  }
}
