import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { initialize, sendMessage, setKillSwitch, toolCall } from '../support/assistant.ts';
import { failure } from '../support/http.ts';

const limitHeaders = (answer: { headers: Headers }) =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'retry-after'].map((name) => answer.headers.get(name));

test('an address may send a burst of 30 requests and 120 a minute, of any kind', async () => {
  await using app = await startApp({ limits: {} });
  const key = await app.seed.key({ scopes: ['mcp:read'] });
  const first = await sendMessage(app, initialize('2025-11-25'), { key });
  expect(limitHeaders(first)).toEqual(['30', '29', null]);
  expect(limitHeaders(await sendMessage(app, '{'))).toEqual(['30', '28', null]);
  expect(limitHeaders(await app.get('/mcp'))).toEqual(['30', '27', null]);
  for (let sent = 3; sent < 30; sent++) await sendMessage(app, toolCall('list_posts'), { key });
  const refused = await sendMessage(app, toolCall('list_posts'), { key });
  expect(refused).toEqual(failure(429, 'rate_limited'));
  expect(limitHeaders(refused)).toEqual(['30', '0', '1']);
  app.clock.advance({ ms: 500 });
  expect((await sendMessage(app, toolCall('list_posts'), { key })).status).toBe(200);
  expect((await sendMessage(app, toolCall('list_posts'), { key })).status).toBe(429);
});

test('a key may send a burst of 10 writes and 30 a minute; one more gets HTTP 429 and writes nothing', async () => {
  await using app = await startApp({ limits: { mcp: 'off' } });
  const key = await app.seed.key({ scopes: ['mcp:read', 'mcp:write'] });
  const other = await app.seed.key({ scopes: ['mcp:write'] });
  const write = (by: string) => sendMessage(app, toolCall('create_skill', { name: 'Tests' }), { key: by });
  for (let sent = 0; sent < 10; sent++) expect((await write(key)).status).toBe(200);
  const refused = await write(key);
  expect(refused).toEqual(failure(429, 'rate_limited'));
  expect(limitHeaders(refused)).toEqual(['10', '0', '2']);
  const read = await sendMessage(app, toolCall('list_skills'), { key });
  const { data } = (read.body as { result: { structuredContent: { data: unknown[] } } }).result
    .structuredContent;
  expect(data).toHaveLength(10);
  expect(limitHeaders(await write(other))).toEqual(['10', '9', null]);
  app.clock.advance({ seconds: 2 });
  expect((await write(key)).status).toBe(200);
});

test('writes that a scope or the kill switch refuses are not counted as writes', async () => {
  await using app = await startApp({ limits: { mcp: 'off' } });
  const key = await app.seed.key({ scopes: ['mcp:skills:write'] });
  const outside = toolCall('create_post', { title: 'No' });
  const allowed = toolCall('create_skill', { name: 'Tests' });
  for (let sent = 0; sent < 12; sent++) expect((await sendMessage(app, outside, { key })).status).toBe(200);
  await setKillSwitch(app, 'off');
  for (let sent = 0; sent < 12; sent++) expect((await sendMessage(app, allowed, { key })).status).toBe(403);
  await setKillSwitch(app, 'on');
  const inside = await sendMessage(app, allowed, { key });
  expect(limitHeaders(inside)).toEqual(['10', '9', null]);
});

test('a write that its own limit refuses costs the address nothing', async () => {
  await using app = await startApp({ limits: { mcp_writes: { perMinute: 1, burst: 1 } } });
  const key = await app.seed.key({ scopes: ['mcp:write'] });
  const write = () => sendMessage(app, toolCall('create_skill', { name: 'Tests' }), { key });
  await write();
  for (let sent = 0; sent < 40; sent++) await write();
  const ping = await sendMessage(app, { jsonrpc: '2.0', id: 1, method: 'ping' }, { key });
  expect(limitHeaders(ping)).toEqual(['30', '28', null]);
});

test('polling of events over MCP and over REST counts in one limit', async () => {
  await using app = await startApp({ limits: { mcp: 'off', normal: 'off' } });
  const key = await app.seed.key({ scopes: ['read', 'mcp:events:read'] });
  const poll = toolCall('poll_events', { event: 'content.created' });
  for (let sent = 0; sent < 10; sent++) {
    expect((await sendMessage(app, poll, { key })).status).toBe(200);
    expect((await app.get('/api/v1/webhooks/poll/content.created', { key })).status).toBe(200);
  }
  const refused = await sendMessage(app, poll, { key });
  expect(refused).toEqual(failure(429, 'rate_limited'));
  expect(limitHeaders(refused)).toEqual(['20', '0', '60']);
});
