import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';

const startCounted = async () => {
  const metrics = new Registry();
  const app = await startApp({ metrics });
  const key = await app.seed.key({ scopes: ['read', 'write'] });
  const create = async (title: string) => {
    const { body } = await app.call('POST', '/api/v1/posts', {
      key,
      body: { title, content: 'é'.repeat(900) },
    });
    return body as { slug: string };
  };
  const lookups = async () => {
    const counter = await metrics.getSingleMetric('response_cache_lookups_total')?.get();
    return Object.fromEntries(counter?.values.map(({ labels, value }) => [labels.result, value]) ?? []);
  };
  return Object.assign(app, { key, create, lookups });
};

test('a list is kept from the first time on, a record from the second', async () => {
  await using app = await startCounted();
  await app.create('One');
  for (let n = 0; n < 2; n += 1) await app.get('/api/v1/posts', { key: app.key });
  expect(await app.lookups()).toEqual({ miss: 1, hit: 1 });
  for (let n = 0; n < 3; n += 1) await app.get('/api/v1/posts/one', { key: app.key });
  expect(await app.lookups()).toEqual({ miss: 3, hit: 2 });
});

test('a record that was read twice is kept anew after each change', async () => {
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

test.for([
  ['as it is', { 'Accept-Encoding': 'identity' }],
  ['in gzip', { 'Accept-Encoding': 'gzip' }],
  ['in Brotli', { 'Accept-Encoding': 'br' }],
] as const)('what is not kept is answered as what is, %s', async ([, headers]) => {
  await using app = await startCounted();
  await app.create('One');
  const read = async (more = {}) => {
    const answer = await fetch(`${app.baseUrl}/api/v1/posts/one`, {
      headers: { Authorization: `Bearer ${app.key}`, ...headers, ...more },
    });
    const { date: _, 'x-request-id': __, ...said } = Object.fromEntries(answer.headers);
    return { status: answer.status, said, body: await answer.text() };
  };
  const first = await read();
  const unchanged = await read({ 'If-None-Match': first.said.etag });
  const last = await read();
  const lastUnchanged = await read({ 'If-None-Match': first.said.etag });

  const without = ({ said, ...answer }: Awaited<ReturnType<typeof read>>) => {
    const { 'x-ratelimit-remaining': _, 'x-ratelimit-reset': __, 'transfer-encoding': ___, ...rest } = said;
    return { ...answer, said: rest };
  };
  expect(without(last)).toEqual(without(first));
  expect(unchanged.status).toBe(304);
  expect(without(lastUnchanged)).toEqual(without(unchanged));
  expect(await app.lookups()).toEqual({ miss: 2, hit: 2 });
});
