import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { failure } from '../support/http.ts';

// Fields, gate and publication time of posts (docs/reference/access.md, #publication).

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const posts = recordsOf(app, 'posts', key);

const now = () => app.clock.now().toISOString().replace('T', ' ');

test('a created post is returned with all its fields, by slug and in the list', async () => {
  const { body } = await posts.create({ title: 'Héllo, wórld!', content: 'Body', tags: ['a'] });
  const { id } = body as { id: string };
  const post = {
    id,
    title: 'Héllo, wórld!',
    slug: 'hello-world',
    excerpt: '',
    content: 'Body',
    visibility: 'public',
    featured: false,
    tags: ['a'],
    published_at: now(),
    created: now(),
    updated: now(),
  };
  expect(await posts.get('hello-world')).toEqual({ status: 200, body: post });
  expect(await app.get('/api/v1/posts', { key })).toEqual({
    status: 200,
    body: { data: [post], total: 1, count: 1, per_page: 20 },
  });
});

test.for([
  ['registered', 'registered_login_required'],
  ['paid', 'purchase_required'],
  ['members', 'subscription_required'],
  ['gold', 'unknown_access_tier'],
  ['Free', 'unknown_access_tier'],
  ['free ', 'unknown_access_tier'],
  ['constructor', 'unknown_access_tier'],
])('the body of a post in tier "%s" is withheld everywhere, with %s', async ([access_tier, gate_reason]) => {
  const secret = `Secret of ${access_tier}`;
  const slug = Buffer.from(access_tier ?? '').toString('hex');
  const id = await posts.add({ title: 'Gated', slug, excerpt: 'Teaser', content: secret, access_tier });
  const { content: _, ...open } = (await openTwin(slug)) ?? {};
  const gated = { ...open, id, slug, is_gated: true, gate_reason };
  expect(await posts.get(slug)).toEqual({ status: 200, body: gated });
  expect(await posts.find(id)).toEqual(gated);
  const sparse = await posts.list('fields=slug,content&limit=100');
  expect(sparse.find((post) => post.slug === slug)).toEqual({ slug, is_gated: true, gate_reason });
  for (const query of ['', '?fields=content', '?fields=id,title,content', '?q=secret', '?sort=title']) {
    const { body } = await app.get(`/api/v1/posts${query}`, { key });
    expect(JSON.stringify(body)).not.toContain(secret);
  }
});

test('an open post has neither is_gated nor gate_reason, a gated post has no content', async () => {
  const open = await posts.find(await posts.add({ title: 'Open', content: '' }));
  expect(open).toMatchObject({ content: '' });
  expect(open).not.toHaveProperty('is_gated');
  expect(open).not.toHaveProperty('gate_reason');
  expect(await posts.find(await posts.add({ title: 'Closed', access_tier: 'paid' }))).not.toHaveProperty(
    'content',
  );
});

test('changing the tier closes or opens the body from the next read on', async () => {
  const id = await posts.add({ title: 'Turning', content: 'Body' });
  await posts.update(id, { access_tier: 'members' });
  expect(await posts.find(id)).toMatchObject({ is_gated: true, gate_reason: 'subscription_required' });
  await posts.update(id, { access_tier: null });
  expect(await posts.find(id)).toMatchObject({ content: 'Body' });
  await posts.update(id, { access_tier: 'paid' });
  await posts.update(id, { access_tier: '' });
  expect(await posts.find(id)).toMatchObject({ content: 'Body' });
});

test('an invalid member token is ignored: the body stays gated, the read succeeds', async () => {
  await posts.add({
    title: 'For members',
    slug: 'for-members',
    content: 'Secret',
    access_tier: 'registered',
  });
  for (const token of ['', 'nonsense', `svc_member_${'a'.repeat(43)}`, key]) {
    const headers = { 'x-member-token': token };
    const answer = await app.get('/api/v1/posts/for-members', { key, headers });
    expect(answer).toMatchObject({ status: 200, body: { gate_reason: 'registered_login_required' } });
  }
});

test('published_at is the time at which a post was first public and not a draft', async () => {
  const id = await posts.add({ title: 'A draft first', is_draft: true, visibility: 'private' });
  app.clock.advance({ minutes: 1 });
  await posts.update(id, { visibility: 'public' });
  app.clock.advance({ minutes: 1 });
  const published = now();
  await posts.update(id, { is_draft: false });
  expect(await posts.find(id)).toMatchObject({ published_at: published });
  app.clock.advance({ minutes: 1 });
  await posts.update(id, { is_draft: true });
  await posts.update(id, { is_draft: false, title: 'Published again' });
  expect(await posts.find(id)).toMatchObject({ published_at: published });
});

test('a given published_at is stored, also in the future; null on a public post means now', async () => {
  const id = await posts.add({ title: 'Dated', published_at: '2030-01-01T00:00:00+01:00' });
  expect(await posts.find(id)).toMatchObject({ published_at: '2029-12-31 23:00:00.000Z' });
  expect((await posts.get('dated')).status).toBe(200);
  app.clock.advance({ minutes: 1 });
  await posts.update(id, { published_at: null });
  expect(await posts.find(id)).toMatchObject({ published_at: now() });
  const draft = await posts.add({
    title: 'Dated draft',
    is_draft: true,
    published_at: '2020-05-05 05:05:05.555Z',
  });
  await posts.update(draft, { is_draft: false });
  expect(await posts.find(draft)).toMatchObject({ published_at: '2020-05-05 05:05:05.555Z' });
});

test.for([
  ['0001-01-01T00:00:00Z', '0001-01-01 00:00:00.000Z'],
  ['0099-06-15T12:00:00.5Z', '0099-06-15 12:00:00.500Z'],
  ['1582-10-10T00:00:00Z', '1582-10-10 00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31 23:59:59.999Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01 00:00:00.000Z'],
  ['2026-03-29T02:30:00+01:00', '2026-03-29 01:30:00.000Z'],
])('published_at %s is returned as UTC', async ([published_at = '', read]) => {
  const id = await posts.add({ title: 'A moment', published_at });
  expect(await posts.find(id)).toMatchObject({ published_at: read });
});

test('fields= returns only the named fields, in every list', async () => {
  const all = await posts.list();
  expect(await posts.list('limit=100&fields=title')).toEqual(all.map(({ title }) => ({ title })));
  expect(await posts.list('limit=100&fields=id,created,id')).toEqual(
    all.map(({ id, created }) => ({ id, created })),
  );
  const bodies = all.map(({ content, is_gated, gate_reason }) =>
    is_gated ? { is_gated, gate_reason } : { content },
  );
  expect(await posts.list('limit=100&fields=content')).toEqual(bodies);
});

test.for([
  '',
  'nothing',
  'title,',
  ',title',
  'title, slug',
  'Title',
  'access_tier',
  'site_id',
  'is_draft',
  'title,nothing',
])('fields=%s names an unknown field and is refused with invalid_request', async (fields) => {
  const answer = await app.get(`/api/v1/posts?fields=${encodeURIComponent(fields)}`, { key });
  expect(answer).toEqual(failure(400, 'invalid_request', expect.stringMatching(/^fields/)));
});

test('tag= finds posts with exactly that tag', async () => {
  const tagged = await posts.add({ title: 'Tagged', tags: ['Unique Tag', 'ünïcode', '{a,b}'] });
  await posts.add({ title: 'Tagged draft', tags: ['Unique Tag'], is_draft: true });
  for (const tag of ['Unique Tag', 'ünïcode', '{a,b}']) {
    const { body } = await app.get(`/api/v1/posts?fields=id&tag=${encodeURIComponent(tag)}`, { key });
    expect(body).toEqual({ data: [{ id: tagged }], total: 1, count: 1, per_page: 20 });
  }
  for (const tag of ['unique tag', 'Unique', 'Unique%', '*', '{a', "'"]) {
    const { body } = await app.get(`/api/v1/posts?tag=${encodeURIComponent(tag)}`, { key });
    expect(body).toEqual({ data: [], total: 0, count: 0, per_page: 20 });
  }
});

test('q= finds posts by title, excerpt and open body, but never by a gated body', async () => {
  const inTitle = await posts.add({ title: 'About Zebras' });
  const inExcerpt = await posts.add({ title: 'Stripes', excerpt: 'a zebras tale' });
  const inBody = await posts.add({ title: 'Horses', content: 'unlike ZEBRAS, they have none' });
  const gated = await posts.add({ title: 'Closed', content: 'zebras, secretly', access_tier: 'members' });
  await posts.add({ title: 'Draft on zebras', is_draft: true });
  const search = async (q: string) => {
    const found = await posts.list(`fields=id&limit=100&q=${encodeURIComponent(q)}`);
    return found.map(({ id }) => id);
  };
  expect(new Set(await search('zebras'))).toEqual(new Set([inTitle, inExcerpt, inBody]));
  expect(await search('zebras horses')).toEqual([inBody]);
  expect(await search('"a zebras tale"')).toEqual([inExcerpt]);
  expect(new Set(await search('zebras -horses'))).toEqual(new Set([inTitle, inExcerpt]));
  await posts.update(gated, { access_tier: 'free' });
  expect(await search('secretly')).toEqual([gated]);
});

test.for(["'", '"', '\\', ':*', '&|!()', '<->', '%', '_', '-', 'a'.repeat(200), '漢字 🎉'])(
  'q=%s is searched like any other text',
  async (q) => {
    expect(await app.get(`/api/v1/posts?q=${encodeURIComponent(q)}`, { key })).toMatchObject({ status: 200 });
  },
);

test('total counts the matches of tag and q, on every page', async () => {
  const made = ['One', 'Two', 'Three'].map((title) =>
    posts.add({ title, tags: ['counted'], content: 'sheep' }),
  );
  await Promise.all(made);
  for (const query of ['tag=counted', 'q=sheep', 'tag=counted&q=sheep']) {
    const first = await app.get(`/api/v1/posts?limit=2&${query}`, { key });
    expect(first.body).toMatchObject({ total: 3, count: 2, per_page: 2 });
    const { next_cursor } = first.body as { next_cursor: string };
    const last = await app.get(`/api/v1/posts?limit=2&${query}&cursor=${next_cursor}`, { key });
    expect(last.body).toMatchObject({ total: 3, count: 1, per_page: 2 });
    expect(last.body).not.toHaveProperty('next_cursor');
  }
});

test('the largest body with the most distinct words can be stored, found and read', async () => {
  const letters = Array.from({ length: 26 ** 3 }, (_, index) => word(index));
  const words = letters.flatMap((first) => [`${first}-${first}x.example.com/${first}`]);
  const content = `${words.join(' ')} `.repeat(2).slice(0, 500_000);
  const id = await posts.add({ title: 'Encyclopaedia', content });
  expect((await posts.get('encyclopaedia')).body).toMatchObject({ id, content });
  await posts.remove(id);
});

const word = (index: number) =>
  [676, 26, 1].map((position) => String.fromCharCode(97 + (Math.floor(index / position) % 26))).join('');

/** Creates a post with the same values in the tier `free`, for comparison with the gated one. */
async function openTwin(slug: string) {
  const id = await posts.add({ title: 'Gated', slug: `${slug}-open`, excerpt: 'Teaser' });
  return posts.find(id);
}
