import { afterAll, expect, test } from 'vitest';
import { previewLimits as limits } from '../../shared/contract/features/previews.ts';
import { prune } from '../../worker/jobs/prune.ts';
import { startApp } from '../support/app.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.site({ subdomain: 'home' });
const token = await app.seed.ownerToken(siteId);
const key = await app.seed.key({ siteId, scopes: ['read:content'] });
const { studio } = ownerClient(app.baseUrl, token);
const visit = createVisitor(app.baseUrl, 'home.localhost');

const draft = { is_draft: true, content: 'The body of it.' };
const addPost = (slug: string, values: object = {}) =>
  studio.posts.create.mutate({ title: `Title of ${slug}`, slug, ...draft, ...values });

const readers = ['free', 'registered', 'paid', 'members'] as const;

const pathOf = (url: string) => new URL(url).pathname;

const fetchPreview = (previewToken: string, credential = key, path = '/api/v2/preview') =>
  app.get(path, { key: credential, headers: { 'x-preview-token': previewToken } });

test('a preview link shows a draft as a page that is not cached, listed or sent as referrer', async () => {
  const { id } = await addPost('shown');
  expect((await visit('/posts/shown')).status).toBe(404);
  const link = await studio.previews.create.mutate({ collection: 'posts', id, as: 'free' });
  expect(new URL(link.url).hostname).toBe('home.localhost');
  const page = await visit(pathOf(link.url));
  expect(page.status).toBe(200);
  expect(page.text).toContain('<h1>Title of shown</h1>');
  expect(page.text).toContain('<p>The body of it.</p>');
  expect(page.text).toMatch(/<p class="meta">[^·]*1 min read/);
  expect(page.text).toContain('<meta name="robots" content="noindex">');
  for (const found of ['rel="canonical"', 'application/ld+json', '/assets/cards/posts/'])
    expect(page.text).not.toContain(found);
  expect(page.headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
  });
  expect((await visit(pathOf(link.url), { method: 'HEAD' })).status).toBe(200);
  expect((await visit('/posts/shown')).status).toBe(404);
  expect((await visit('/')).text).not.toContain('Title of shown');
});

test('the page of a draft has no form, because browsers hide the origin of its requests', async () => {
  const { id } = await addPost('without-forms');
  const link = await studio.previews.create.mutate({ collection: 'posts', id, as: 'free' });
  const { text } = await visit(pathOf(link.url));
  expect(text).toContain('<h1>Title of without-forms</h1>');
  expect(text).not.toContain('<form');
});

test.for(readers)('a preview of a draft for %s opens only for readers with access', async (access_tier) => {
  const { id } = await addPost(`for-${access_tier}`, { access_tier });
  const opened: string[] = [];
  for (const as of readers) {
    const link = await studio.previews.create.mutate({ collection: 'posts', id, as });
    const page = await visit(pathOf(link.url));
    const { body } = await fetchPreview(link.token);
    const { record, ...rest } = body as { record: { content?: string; is_gated?: true } };
    expect(rest).toEqual({ collection: 'posts', as });
    expect(page.text.includes('The body of it.')).toBe(record.content !== undefined);
    expect(record.is_gated === true).toBe(record.content === undefined);
    expect(page.text.includes('href="/account"')).toBe(as !== 'free');
    if (record.content !== undefined) opened.push(as);
    await studio.previews.revoke.mutate({ id: link.id });
  }
  expect(opened).toEqual(
    { free: readers, registered: readers.slice(1), paid: ['paid'], members: ['paid', 'members'] }[
      access_tier
    ],
  );
});

test('projects, courses and custom pages have previews; a record without a page is refused', async () => {
  const project = await studio.projects.create.mutate({
    title: 'Lantern',
    description: 'Made at night.',
    is_draft: true,
  });
  const course = await studio.courses.create.mutate({ title: 'Types', is_draft: true });
  const module = await studio.modules.create.mutate({ course_id: course.id, title: 'Part one' });
  await studio.lessons.create.mutate({ module_id: module.id, title: 'Lesson one', content: 'Secret.' });
  const page = await studio.pages.create.mutate({ title: 'Uses', content: 'A desk.', is_draft: true });
  const shown = async (collection: 'projects' | 'courses' | 'pages', id: string) => {
    const link = await studio.previews.create.mutate({ collection, id, as: 'free' });
    const { body } = await fetchPreview(link.token, key, '/api/v2/preview?include=cover,meta');
    expect(body).toMatchObject({ collection, as: 'free', record: { id, cover: null, meta_title: '' } });
    return (await visit(pathOf(link.url))).text;
  };
  expect(await shown('projects', project.id)).toContain('<p>Made at night.</p>');
  const outline = await shown('courses', course.id);
  for (const title of ['Types', 'Part one', 'Lesson one']) expect(outline).toContain(title);
  expect(outline).not.toContain('Secret.');
  expect(await shown('pages', page.id)).toContain('<p>A desk.</p>');
  const talk = await studio.talks.create.mutate({ title: 'Told', is_draft: true });
  // @ts-expect-error: it has no page of its own
  const collection: 'posts' = 'talks';
  const refused = await refusal(studio.previews.create.mutate({ collection, id: talk.id, as: 'free' }));
  expect(refused.code).toBe('validation_failed');
});

test('a preview link shows edits immediately, and redirects to the page after publication', async () => {
  const { id } = await addPost('later');
  const link = await studio.previews.create.mutate({ collection: 'posts', id, as: 'free' });
  await studio.posts.update.mutate({ id, title: 'Another title' });
  expect((await visit(pathOf(link.url))).text).toContain('<h1>Another title</h1>');
  await studio.posts.update.mutate({ id, is_draft: false });
  const { status, headers } = await visit(pathOf(link.url));
  expect([status, headers.location, headers['cache-control']]).toEqual([303, '/posts/later', 'no-store']);
  expect((await visit('/posts/later')).status).toBe(200);
  await studio.posts.update.mutate({ id, visibility: 'private' });
  expect((await visit(pathOf(link.url))).status).toBe(404);
});

test('an expired or revoked link, and one to a deleted record, is not found', async () => {
  const { id } = await addPost('gone');
  const make = (ends_at?: Date) =>
    studio.previews.create.mutate({ collection: 'posts', id, as: 'free', ...(ends_at && { ends_at }) });
  const statuses = async ({ url, token: given }: { url: string; token: string }) => [
    (await visit(pathOf(url))).status,
    (await fetchPreview(given)).status,
  ];
  const inAnHour = await make(new Date(app.clock.now().getTime() + 3_600_000));
  const inAWeek = await make();
  const revoked = await make();
  await studio.previews.revoke.mutate({ id: revoked.id });
  expect(await statuses(revoked)).toEqual([404, 404]);
  expect(await statuses(inAnHour)).toEqual([200, 200]);
  app.clock.advance({ hours: 1 });
  expect(await statuses(inAnHour)).toEqual([404, 404]);
  expect(await statuses(inAWeek)).toEqual([200, 200]);
  await studio.posts.delete.mutate({ id });
  expect(await statuses(inAWeek)).toEqual([404, 404]);
  expect((await studio.previews.list.query()).data.find((link) => link.id === inAWeek.id)?.title).toBe(null);
});

test('the token is returned once, and neither listed nor stored in plain text', async () => {
  const { id } = await addPost('listed');
  const link = await studio.previews.create.mutate({ collection: 'posts', id, as: 'members' });
  const week = app.clock.now().getTime() + limits.days * 86_400_000;
  expect(link).toEqual({
    id: expect.any(String),
    url: expect.any(String),
    token: expect.any(String),
    ends_at: new Date(week),
  });
  expect(link.url.endsWith(`/preview/${link.token}`)).toBe(true);
  const { data } = await studio.previews.list.query();
  expect(data.find((row) => row.id === link.id)).toEqual({
    id: link.id,
    collection: 'posts',
    record_id: id,
    title: 'Title of listed',
    as: 'members',
    created: app.clock.now(),
    ends_at: new Date(week),
  });
  const rows = await app.deps.database.em.getKysely().selectFrom('previews').selectAll().execute();
  expect(JSON.stringify([data, rows])).not.toContain(link.token);
});

test('a preview link lasts at most 30 days and cannot end in the past', async () => {
  const { id } = await addPost('bounded');
  const ending = (days: number) =>
    studio.previews.create.mutate({
      collection: 'posts',
      id,
      as: 'free',
      ends_at: new Date(app.clock.now().getTime() + days * 86_400_000),
    });
  for (const days of [0, -1, limits.maxDays + 1 / 86_400]) {
    const { code, message } = await refusal(ending(days));
    expect([code, message]).toEqual(['validation_failed', 'ends_at: must be within the next 30 days']);
  }
  await ending(limits.maxDays);
});

test('a token works only on its own site, and over the API only with a reading key of that site', async () => {
  const { id } = await addPost('apart');
  const link = await studio.previews.create.mutate({ collection: 'posts', id, as: 'free' });
  const otherSite = await app.seed.site({ subdomain: 'other' });
  const elsewhere = createVisitor(app.baseUrl, 'other.localhost');
  expect((await elsewhere(pathOf(link.url))).status).toBe(404);
  expect((await visit('/preview/nothing')).status).toBe(404);
  const answer = async (credential: string, previewToken = link.token) =>
    (await fetchPreview(previewToken, credential)).status;
  expect(await answer(key)).toBe(200);
  expect(await answer(key, 'svc_preview_nothing')).toBe(404);
  expect((await app.get('/api/v2/preview', { key })).status).toBe(404);
  expect(await answer(await app.seed.key({ siteId: otherSite, scopes: ['read:content'] }))).toBe(404);
  expect(await answer(await app.seed.key({ siteId, scopes: ['read'] }))).toBe(403);
  expect(await answer('svc_live_none')).toBe(401);
  expect((await fetchPreview(link.token)).headers.get('cache-control')).toBe('no-store');
  expect((await fetchPreview('svc_preview_nothing')).headers.get('cache-control')).toBe('no-store');
  const other = ownerClient(app.baseUrl, await app.seed.ownerToken(otherSite)).studio;
  expect((await refusal(other.previews.revoke.mutate({ id: link.id }))).code).toBe('not_found');
  expect((await refusal(other.previews.create.mutate({ collection: 'posts', id, as: 'free' }))).code).toBe(
    'not_found',
  );
  expect(await other.previews.list.query()).toEqual({ data: [] });
});

test('browsers of any origin may send the token', async () => {
  const { status, headers } = await app.call('OPTIONS', '/api/v2/preview', {
    headers: {
      origin: 'https://front.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization,x-preview-token',
    },
  });
  expect([status, headers.get('access-control-allow-headers')]).toEqual([
    204,
    'authorization,x-preview-token',
  ]);
});

test('a site has at most 100 active preview links, and expired ones are deleted', async () => {
  const full = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio;
  const { id } = await full.posts.create.mutate({ title: 'Full', is_draft: true });
  const make = () =>
    full.previews.create.mutate({ collection: 'posts', id, as: 'free', ends_at: app.clock.inMinutes(60) });
  for (let made = 0; made < limits.perSite; made += 20) await Promise.all(Array.from({ length: 20 }, make));
  const { code, message } = await refusal(make());
  expect([code, message]).toEqual([
    'validation_failed',
    'a site has at most 100 preview links: delete one first',
  ]);
  app.clock.advance({ hours: 1 });
  await make();
  expect((await full.previews.list.query()).data).toHaveLength(1);
  app.clock.advance({ hours: 1 });
  await prune(app.deps.database, app.clock.now());
  const rows = app.deps.database.em.getKysely().selectFrom('previews').select('id');
  expect(await rows.where('ends_at', '<=', app.clock.now()).execute()).toEqual([]);
});
