import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const startCounted = async () => {
  const metrics = new Registry();
  const app = await startApp({ metrics });
  const key = await app.seed.key({ scopes: ['read', 'write'] });
  const create = async (title: string, content = '') => {
    const { body } = await app.call('POST', '/api/v1/posts', {
      key,
      body: { title, content },
    });
    return body as { slug: string };
  };
  const lookups = async () => {
    const counter = await metrics.getSingleMetric('response_cache_lookups_total')?.get();
    return Object.fromEntries(counter?.values.map(({ labels, value }) => [labels.result, value]) ?? []);
  };
  return Object.assign(app, { key, create, lookups });
};

test('a list is cached by its first read, a record by its second', async () => {
  await using app = await startCounted();
  await app.create('One');
  for (let n = 0; n < 2; n += 1) await app.get('/api/v1/posts', { key: app.key });
  expect(await app.lookups()).toEqual({ miss: 1, hit: 1 });
  for (let n = 0; n < 3; n += 1) await app.get('/api/v1/posts/one', { key: app.key });
  expect(await app.lookups()).toEqual({ miss: 3, hit: 2 });
});

test('a record that was read twice is cached again after each change', async () => {
  await using app = await startCounted();
  await app.create('One');
  const read = () => app.get('/api/v1/posts/one', { key: app.key });
  await read();
  await read();
  await app.create('Two');
  await read();
  await read();
  expect(await app.lookups()).toEqual({ miss: 3, hit: 1 });
});

const long = 'é'.repeat(900);

test.for<[title: string, content: string, init: RequestInit]>([
  ['uncompressed', long, { headers: { 'Accept-Encoding': 'identity' } }],
  ['in gzip', long, { headers: { 'Accept-Encoding': 'gzip' } }],
  ['in Brotli', long, { headers: { 'Accept-Encoding': 'br' } }],
  ['too short to compress', 'é', { headers: { 'Accept-Encoding': 'br' } }],
  ['to a client that has it', long, { headers: { 'If-None-Match': '*' } }],
  ['to HEAD', long, { method: 'HEAD', headers: { 'Accept-Encoding': 'identity' } }],
])('a response that is not cached equals a cached one: %s', async ([, content, init]) => {
  await using app = await startCounted();
  await app.create('One', content);
  const read = async () => {
    const answer = await fetch(`${app.baseUrl}/api/v1/posts/one`, {
      ...init,
      headers: { Authorization: `Bearer ${app.key}`, ...init.headers },
    });
    const said = Object.fromEntries(answer.headers);
    for (const name of ['date', 'x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-reset'])
      delete said[name];
    return { status: answer.status, said, body: await answer.text() };
  };

  const unkept = await read();
  await read();
  expect(await read()).toEqual(unkept);
  expect(await app.lookups()).toEqual({ miss: 2, hit: 1 });
});
