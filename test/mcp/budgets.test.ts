import { expect, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { connectAssistant, sendMessage, toolCall } from '../support/assistant.ts';

const kilobyte = 1_000;

test('the list of all tools takes at most 40 KB, and says nothing by a list of types', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: scopeNames });
  const { body } = await sendMessage(app, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { key });
  expect(bytesOf(body)).toBeLessThanOrEqual(40 * kilobyte);
  expect(JSON.stringify(body)).not.toContain('"type":[');
});

test('a list of 20 posts takes at most 8 KB, whatever their bodies take', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:posts:read'] });
  await createPosts(app, key, 20);
  const { body } = await sendMessage(app, toolCall('list_posts'), { key });
  expect(body).toMatchObject({ result: { structuredContent: { count: 20 } } });
  expect(bytesOf(body)).toBeLessThanOrEqual(8 * kilobyte);
});

test('an answer is told once: as structured content, with one line of text', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'mcp:read', 'mcp:write'] });
  await createPosts(app, key, 3);
  await using assistant = await connectAssistant(app, key);
  const lineOf = async (name: string, input: Record<string, unknown> = {}) => {
    const { content } = await assistant.client.callTool({ name, arguments: input });
    return content.map((part) => (part.type === 'text' ? part.text : part.type));
  };
  expect(await lineOf('list_posts', { limit: 2 })).toEqual([
    'List posts: 2 of 3, more with next_cursor; left out: content (name what you need in fields)',
  ]);
  expect(await lineOf('get_post', { slug: 'type-safe-apis-without-a-build-step-1' })).toEqual([
    'Get a post by its slug: Type-safe APIs without a build step 1',
  ]);
  expect(await lineOf('create_skill', { name: 'Tests\nand more' })).toEqual([
    expect.stringMatching(/^Create a skill: [a-z0-9]{15}$/),
  ]);
  expect(await lineOf('list_skills')).toEqual(['List all skills, newest first: 1']);
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
