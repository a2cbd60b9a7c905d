import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { sendMessage, toolCall } from '../support/assistant.ts';

test('a call of a tool looks its key up once, whether it reads, writes or fails', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['mcp:read', 'mcp:skills:write'] });
  const calls = [
    toolCall('list_posts'),
    toolCall('get_post', { slug: 'none' }),
    toolCall('create_skill', { name: 'Tests' }),
    toolCall('create_post', { title: 'No' }),
    { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'site://posts/none' } },
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'prompts/get',
      params: { name: 'draft_post', arguments: { topic: 'x' } },
    },
  ];
  const lookups = countLookups(app);
  for (const message of calls) await sendMessage(app, message, { key });
  expect(lookups()).toBe(calls.length);
});

test('a batch over RPC looks its key up once per call, even if calls fail', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read'] });
  const input = JSON.stringify({
    0: { json: { limit: 1 } },
    1: { json: { slug: 'none' } },
    2: { json: { limit: 1_000 } },
    3: { json: {} },
  });
  const lookups = countLookups(app);
  const path = '/trpc/v1.posts.list,v1.posts.get,v1.projects.list,v1.skills.list';
  const { status, body } = await app.get(`${path}?batch=1&input=${encodeURIComponent(input)}`, { key });
  expect(status).toBe(207);
  expect((body as object[]).map((answer) => Object.keys(answer))).toEqual([
    ['result'],
    ['error'],
    ['error'],
    ['result'],
  ]);
  expect(lookups()).toBe(4);
});

/** Returns a function that returns the number of key lookups since this call. */
function countLookups({ deps }: TestApp) {
  const { findKey } = deps;
  let count = 0;
  deps.findKey = (question) => {
    count++;
    return findKey(question);
  };
  return () => count;
}
