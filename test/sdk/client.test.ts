import { expect, test } from 'vitest';
import { createClient, isApiError, pages } from '../../client/sdk/index.ts';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import { startApp } from '../support/app.ts';
import { nextMillisecond } from '../support/event-log.ts';
import { createPosts, failureOf, watchedClient } from '../support/watched-client.ts';

const now = new Date('2026-01-31T09:05:00.123Z');

test('a written record is read with the same values, with Dates in both directions', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const published = new Date('2026-01-01T00:00:00Z');
  const tags = ['a'];
  const created = await client.v1.posts.create.mutate({ title: 'One', tags, published_at: published });
  expect(created).toEqual({ id: expect.stringMatching(/^[a-z0-9]{15}$/), created: now });
  const { id } = created;
  const post = {
    id,
    title: 'One',
    slug: 'one',
    excerpt: '',
    content: '',
    visibility: 'public',
    featured: false,
    tags,
    published_at: published,
    created: now,
    updated: now,
  };
  expect(await client.v1.posts.get.query({ slug: 'one' })).toEqual(post);
  expect(await client.v1.posts.list.query()).toEqual({ data: [post], total: 1, count: 1, per_page: 20 });
  expect(await client.v1.posts.update.mutate({ id, excerpt: undefined, featured: true })).toEqual({
    status: 'updated',
  });
  expect(await client.v1.posts.get.query({ slug: 'one' })).toEqual({ ...post, featured: true });
  expect(await client.v1.posts.delete.mutate({ id })).toEqual({ status: 'deleted' });
  expect(await failureOf(client.v1.posts.get.query({ slug: 'one' }))).toEqual({
    code: 'not_found',
    httpStatus: 404,
    path: 'v1.posts.get',
    requestId: expect.any(String),
  });
});

test('one list passed for two fields is stored in both', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const words = ['typescript', 'sql'];
  await client.v1.experience.create.mutate({ company: 'A', title: 'B', bullets: words, skills: words });
  expect((await client.v1.experience.list.query()).data).toEqual([
    expect.objectContaining({ bullets: words, skills: words }),
  ]);
});

test('concurrent reads are sent in one request, and each write in its own', async () => {
  await using app = await startApp();
  const { client, requests } = await watchedClient(app);
  await Promise.all([
    client.v1.profile.get.query(),
    client.v1.posts.list.query(),
    client.v1.talks.list.query(),
  ]);
  expect(requests).toEqual(['GET /trpc/v1.profile.get,v1.posts.list,v1.talks.list']);
  await Promise.all([1, 2].map((n) => client.v1.skills.create.mutate({ name: `Skill ${n}` })));
  expect(requests.slice(1)).toEqual(Array(2).fill('POST /trpc/v1.skills.create'));
});

test('reads that exceed one request are split by number and by length', async () => {
  await using app = await startApp();
  const { client, requests } = await watchedClient(app);
  await Promise.all(Array.from({ length: maxBatchCalls + 1 }, () => client.v1.certifications.list.query()));
  expect(requests.length).toBe(2);
  const q = '漢'.repeat(200);
  await Promise.all(Array.from({ length: 8 }, () => client.v1.posts.list.query({ q, tag: q })));
  expect(requests.length).toBe(2 + 4);
});

test('a failing call of a batch does not affect the others', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const [good, bad] = await Promise.allSettled([
    client.v1.skills.list.query(),
    client.v1.posts.get.query({ slug: 'nothing' }),
  ]);
  expect(good).toEqual({ status: 'fulfilled', value: { data: [] } });
  expect(bad).toMatchObject({ status: 'rejected', reason: { data: { code: 'not_found' } } });
});

test('the event log can be read from a time that is a Date or an RFC 3339 string', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  for (const title of ['A', 'B', 'C']) {
    await createPosts(client, [title]);
    await nextMillisecond(app);
  }
  const event = 'content.created';
  const [second] = (await client.v1.events.poll.query({ event, limit: 2 })).events.slice(-1);
  const timestamp = second?.timestamp ?? now;
  for (const since of [timestamp, timestamp.toISOString()]) {
    const events = await Array.fromAsync(pages(client.v1.events.poll, { event, since, limit: 1 }));
    expect(events.map(({ data }) => data)).toEqual(
      ['B', 'C'].map((title) => expect.objectContaining({ title })),
    );
  }
});

test('a polled event has its time as a Date', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const before = Date.now();
  await createPosts(client, ['A']);
  const { events } = await client.v1.events.poll.query({ event: 'content.created' });
  expect(events).toEqual([expect.objectContaining({ timestamp: expect.any(Date) })]);
  expect(events[0]?.timestamp.getTime()).toBeGreaterThan(before - 60_000);
});

test('`fields` returns only these fields, and the reason for withholding a body along with the body', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  await client.v1.posts.create.mutate({ title: 'Paid', content: 'Body', access_tier: 'paid' });
  await client.v1.posts.create.mutate({ title: 'Free', content: 'Body' });
  const { data } = await client.v1.posts.list.query({ sort: 'title', fields: ['title', 'content'] });
  expect(data).toEqual([
    { title: 'Free', content: 'Body' },
    { title: 'Paid', is_gated: true, gate_reason: 'purchase_required' },
  ]);
  expect(
    await Array.fromAsync(pages(client.v1.posts.list, { limit: 1, sort: 'title', fields: ['created'] })),
  ).toEqual([{ created: now }, { created: now }]);
});

test('an invalid field is validation_failed, and the message names the field', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const error = await client.v1.posts.create.mutate({ title: '' }).catch((cause: unknown) => cause);
  expect(isApiError(error) && [error.data.code, error.message]).toEqual([
    'validation_failed',
    expect.stringMatching(/^title: /),
  ]);
});

test('an error lists each invalid field, and the request id', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const { fields, requestId } = await failureOf(client.v1.posts.create.mutate({ title: '', slug: 'A b' }));
  expect(fields?.map(({ path }) => path)).toEqual(['title', 'slug']);
  expect(requestId).toEqual(expect.any(String));
});

test('the client stores the quota of its last response, including a refusal', async () => {
  await using app = await startApp({ limits: { normal: { perMinute: 60, burst: 2 } } });
  const { client } = await watchedClient(app, { retries: 0 });
  expect(client.quota).toBeUndefined();
  await client.v1.skills.list.query();
  const seconds = Math.floor(app.clock.now().getTime() / 1_000);
  expect(client.quota).toEqual({ limit: 2, remaining: 1, reset: new Date((seconds + 2) * 1_000) });
  await client.v1.skills.create.mutate({ name: 'SQL' });
  expect(client.quota).toMatchObject({ limit: 2, remaining: 0 });
  expect(await failureOf(client.v1.skills.list.query())).toMatchObject({ code: 'rate_limited' });
  expect(client.quota).toMatchObject({ limit: 2, remaining: 0 });
});

test('quota is undefined if the service applies no rate limit', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  await client.v1.skills.list.query();
  expect(client.quota).toBeUndefined();
});

test('a failed connection and a cancelled call are errors, but not API errors', async () => {
  await using app = await startApp();
  const { client } = await watchedClient(app);
  const cancelled = client.v1.skills.list.query(undefined, { signal: AbortSignal.abort() });
  expect(isApiError(await cancelled.catch((cause: unknown) => cause))).toBe(false);
  const nowhere = createClient({ baseUrl: 'http://127.0.0.1:1', retries: 0 });
  expect(isApiError(await nowhere.v1.skills.list.query().catch((cause: unknown) => cause))).toBe(false);
});

test('an owner token opens the admin surface, and a member token is sent in its own header', async () => {
  await using app = await startApp();
  const owner = createClient({ baseUrl: new URL(app.baseUrl), ownerToken: await app.seed.ownerToken() });
  expect(await owner.admin.apiKeys.list.query()).toEqual({ data: [] });
  const sent: unknown[] = [];
  const member = createClient({
    baseUrl: `${app.baseUrl}/`,
    apiKey: 'svc_live_x',
    memberToken: 'svc_member_x',
    fetch(target, init) {
      sent.push(init?.headers);
      return fetch(target, init);
    },
  });
  expect(await failureOf(member.v1.profile.get.query())).toMatchObject({ code: 'unauthorized' });
  expect(sent).toEqual([{ Authorization: 'Bearer svc_live_x', 'X-Member-Token': 'svc_member_x' }]);
});

test('createClient throws for two credentials, for one that no header can contain, and for an invalid URL', () => {
  const both = { baseUrl: 'http://localhost', apiKey: 'a', ownerToken: 'b' };
  expect(() => createClient(both)).toThrow(TypeError);
  expect(() => createClient({ baseUrl: 'localhost' })).toThrow(TypeError);
  expect(() => createClient({ baseUrl: 'http://localhost', apiKey: 'svc_live_漢' })).toThrow(TypeError);
});

test('the error for an invalid URL names the option and its value', () => {
  const refusal = (given: string) =>
    `baseUrl must be an address such as https://ada.example.com, not "${given}"`;
  for (const baseUrl of ['localhost:3000', 'ada.example.com', '']) {
    expect(() => createClient({ baseUrl })).toThrow(new TypeError(refusal(baseUrl)));
  }
});

test('if the service is unreachable or another server answers, the error names the address and the reason', async () => {
  const of = (baseUrl: string) =>
    createClient({ baseUrl, retries: 0 })
      .v1.profile.get.query()
      .catch(({ message }: Error) => message);
  const app = await startApp();
  expect(await of(app.baseUrl.replace('http:', 'https:'))).toMatch(/^no answer from https:\S+: .*SSL/);
  const within = `${app.baseUrl}/api/v1`;
  expect(await of(within)).toBe(`the answer of ${within} is not one of the service (HTTP status 404)`);
  await app[Symbol.asyncDispose]();
  expect(await of(app.baseUrl)).toMatch(/^no answer from http:\S+: .*ECONNREFUSED/);
});
