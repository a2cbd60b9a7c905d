import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { from, limitOf, refused, resetAfter, startLimited } from '../support/limited-app.ts';

// The poll limit of a key, which applies in addition to the limit of the network address.

const at = '/api/v1/webhooks';

test('a key can poll at most 20 times in any 60 seconds, with any distribution', async () => {
  await using app = await startApp({ limits: { normal: 'off' } });
  const [key, other] = [await app.seed.key(), await app.seed.key()];
  const passing = async (polls: number, by = key) => {
    const statuses = [];
    for (let n = 0; n < polls; n++)
      statuses.push((await app.get(`${at}/poll/content.created`, { key: by })).status);
    return statuses.filter((status) => status === 200).length;
  };
  expect(await passing(12)).toBe(12);
  app.clock.advance({ seconds: 30 });
  expect(await passing(9)).toBe(8);
  app.clock.advance({ seconds: 30, ms: -1 });
  const refused = await app.get(`${at}/poll/course.enrolled`, { key });
  expect(refused).toEqual(failure(429, 'rate_limited'));
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.headers.get('x-ratelimit-limit')).toBe('20');
  app.clock.advance({ ms: 1 });
  expect(await passing(13)).toBe(12);
  expect(await passing(1, other)).toBe(1);
  expect((await app.get(`${at}/events`, { key })).status).toBe(200);
});

test('a refused poll does not count for the address, and the headers show the tightest limit', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 22 } } });
  const key = await app.seed.key();
  const call = (path: string) => app.get(path, { key });
  for (let n = 0; n < 20; n++) await call(`${at}/poll/content.created`);
  for (let n = 0; n < 5; n++) expect((await call(`${at}/poll/content.created`)).status).toBe(429);
  const passed = await call('/api/v1/posts');
  expect([passed.status, passed.headers.get('x-ratelimit-remaining')]).toEqual([200, '1']);
  expect((await call('/api/v1/posts')).status).toBe(200);
  expect((await call('/api/v1/posts')).status).toBe(429);
});

test('the poll limit counts by key and minute in addition to Normal, and its headers appear if it is tighter', async () => {
  await using app = await startLimited();
  const key = await app.seed.key();
  const poll = (client: number, by = key) =>
    app.get('/api/v1/webhooks/poll/content.created', { key: by, headers: from(`10.2.0.${client}`) });
  const first = await poll(0);
  expect(limitOf(first)).toEqual({ limit: '10', remaining: '9', reset: resetAfter(app, 1) });
  for (let client = 1; client < 12; client += 1) await poll(client);
  expect(limitOf(await poll(12))).toEqual({ limit: '20', remaining: '7', reset: resetAfter(app, 60) });
  app.clock.advance({ seconds: 30 });
  for (let client = 13; client < 20; client += 1) expect((await poll(client)).status).toBe(200);
  const over = await poll(20);
  expect(over).toEqual(refused);
  expect(limitOf(over)).toEqual({ limit: '20', remaining: '0', reset: resetAfter(app, 60) });
  expect(over.headers.get('retry-after')).toBe('30');
  expect((await poll(21, await app.seed.key())).status).toBe(200);
  app.clock.advance({ seconds: 29, ms: 999 });
  expect(await poll(22)).toEqual(refused);
  app.clock.advance({ ms: 1 });
  expect((await poll(23)).status).toBe(200);
});

test("a poll refused by its key's limit does not count for the address, but one refused for a missing scope does", async () => {
  await using app = await startApp({ limits: { poll: { perMinute: 1, burst: 1 } } });
  const key = await app.seed.key();
  const poll = (by: string) => app.get('/api/v1/webhooks/poll/content.created', { key: by });
  await poll(key);
  for (let requested = 0; requested < 12; requested += 1) {
    const over = await poll(key);
    expect(over).toEqual(refused);
    expect(limitOf(over)).toMatchObject({ limit: '1', remaining: '0' });
  }
  expect(limitOf(await app.get('/api/v1/skills', { key }))).toMatchObject({ limit: '10', remaining: '8' });
  await poll(await app.seed.key({ scopes: ['write'] }));
  expect(limitOf(await app.get('/api/v1/skills', { key }))).toMatchObject({ remaining: '6' });
});

test('a poll with an invalid query counts, and other endpoints do not count for the poll limit', async () => {
  await using app = await startApp({ limits: { normal: 'off', poll: { perMinute: 2, burst: 2 } } });
  const key = await app.seed.key();
  const poll = (query = '') => app.get(`/api/v1/webhooks/poll/content.created${query}`, { key });
  for (let requested = 0; requested < 3; requested += 1) await app.get('/api/v1/webhooks/events', { key });
  expect((await poll('?limit=0')).status).toBe(400);
  expect((await poll()).status).toBe(200);
  expect(await poll()).toEqual(refused);
});
