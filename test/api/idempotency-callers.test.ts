import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { isReplay, repeating } from '../support/repeated-writes.ts';

// The scope of an Idempotency-Key: two callers who send the same key have two keys.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const token = await app.seed.ownerToken();
const posts = '/api/v1/posts';
const { under, titled, query } = repeating(app, key);

test('the same idempotency key from two sites, two API keys and an owner counts as different keys', async () => {
  const other = await app.seed.key();
  const elsewhere = await app.seed.key({ siteId: await app.seed.site() });
  const same = randomUUID();
  const create = (credential: string) => app.post(posts, under(same, { title: 'Mine' }, credential));
  const answers = [await create(key), await create(other), await create(elsewhere)];
  const rpc = await app.post('/trpc/studio.posts.create', under(same, { json: { title: 'Mine' } }, token));
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(rpc.status).toBe(200);
  expect([...answers, rpc].map(isReplay)).toEqual([null, null, null, null]);
  expect(await query(titled('Mine'))).toHaveLength(4);
});

test('a rotated API key counts as the same caller for idempotency keys', async () => {
  const made = await app.post('/api/admin/api-keys', {
    key: token,
    body: { name: 'Rotated', scopes: ['write'] },
  });
  const { id, key: before } = made.body as { id: string; key: string };
  const request = { title: 'By the same' };
  const same = randomUUID();
  const first = await app.post(posts, under(same, request, before));
  const rotated = await app.post(`/api/admin/api-keys/${id}/rotate`, { key: token });
  const { key: after } = rotated.body as { key: string };
  const second = await app.post(posts, under(same, request, after));
  expect(second).toEqual(first);
  expect(isReplay(second)).toBe('true');
});

test('the same idempotency key from visitors is replayed only for the same body, client address and member', async () => {
  await using public_ = await startApp({ config: { trustProxy: ['127.0.0.1/32'] } });
  await public_.seed.ownSite();
  const submit = (content: string, from: string, headers = {}) =>
    public_.post('/trpc/site.testimonials.submit', {
      body: { json: { name: 'Ada', email: 'ada@example.com', content } },
      headers: { 'idempotency-key': '1', 'x-forwarded-for': from, ...headers },
    });
  const answers = [
    await submit('Good', '203.0.113.1'),
    await submit('Good', '203.0.113.2'),
    await submit('Better', '203.0.113.1'),
    await submit('Good', '203.0.113.1', { 'x-member-token': 'svc_member_x' }),
    await submit('Good', '203.0.113.1'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers.map(isReplay)).toEqual([null, null, null, null, 'true']);
  expect(await query('select id from testimonials', public_)).toHaveLength(4);
});

test('an unauthorized caller receives no stored response, and a replay counts in the rate limit', async () => {
  await using limited = await startApp({ limits: { normal: { perMinute: 1, burst: 3 } } });
  const credential = await limited.seed.key();
  const request = under(randomUUID(), { title: 'Counted' }, credential);
  const answers = [await limited.post(posts, request), await limited.post(posts, request)];
  expect(answers.map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['2', '1']);
  const disabled = await limited.post(posts, under('x', { title: 'Counted' }, 'svc_live_unknown'));
  expect(disabled).toEqual(failure(401, 'unauthorized', 'invalid API key'));
  expect(await limited.post(posts, request)).toEqual(failure(429, 'rate_limited'));
});
