import { afterAll, expect, test } from 'vitest';
import { withQuery } from '../../server/site/redirect.ts';
import { importFile } from '../../server/transfer/import-file.ts';
import { startApp } from '../support/app.ts';
import { folderOf, temporaryFile } from '../support/archives.ts';
import { actor } from '../support/imported-states.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.site({ subdomain: 'home' });
const token = await app.seed.ownerToken(siteId);
const { studio } = ownerClient(app.baseUrl, token);
const visit = createVisitor(app.baseUrl, 'home.localhost');

/** Status and target of a redirect; only the status of other responses. */
async function leads(path: string, options: Parameters<typeof visit>[1] = {}) {
  const { status, headers } = await visit(path, options);
  return headers.location === undefined ? status : `${status} ${headers.location}`;
}

const create = (from: string, to: string, permanent?: boolean) =>
  studio.redirects.create.mutate({ from, to, ...(permanent !== undefined && { permanent }) });

test('a redirect answers in one step, with 301 or 302, to GET and HEAD of any client', async () => {
  await create('/2019/05/types', '/posts/types');
  await create('/slides', 'https://slides.example.com/a?b=1', false);
  expect(await leads('/2019/05/types')).toBe('301 /posts/types');
  expect(await leads('/2019/05/types/')).toBe('301 /posts/types');
  expect(await leads('/slides')).toBe('302 https://slides.example.com/a?b=1');
  expect(await leads('/slides', { method: 'HEAD' })).toBe('302 https://slides.example.com/a?b=1');
  expect(await leads('/slides', { headers: { accept: '*/*' } })).toBe('302 https://slides.example.com/a?b=1');
  expect(await leads('/slides', { form: { a: 'b' } })).toBe(404);
  const { headers } = await visit('/slides');
  expect(headers['cache-control']).toBe('public, max-age=0, must-revalidate');
});

test.for([
  ['/new', 'a=1', '/new?a=1'],
  ['/new', '', '/new'],
  ['/new?b=2', 'a=1', '/new?b=2&a=1'],
  ['/new?a=2', 'a=1&c=3', '/new?a=2&c=3'],
  ['/new?a%20b=2', 'a+b=1&x', '/new?a%20b=2&x'],
  ['/new?a=2#end', 'a=1&&=&b', '/new?a=2&=&b#end'],
  ['/new#end', 'a=ü"', '/new?a=%C3%BC%22#end'.replace('%22', '"')],
  ['https://b.example/', 'a=https://c.example/?d', 'https://b.example/?a=https://c.example/?d'],
] as const)('redirecting to %s with the query ?%s results in %s', ([to, requested, merged]) => {
  expect(withQuery(to, requested)).toBe(merged);
});

test.for([
  ['/Über uns', '/%C3%9Cber%20uns'],
  ['/u\u0308ber', '/%C3%BCber'],
  ['/a%2Fb', '/a%2Fb'],
  ['/%7Eada/', '/~ada'],
  ['/index.php/x.html', '/index.php/x.html'],
  ['/feeds', '/feeds'],
  ['/posts/gone', '/posts/gone'],
  ['/API', '/API'],
] as const)('"%s" is stored in canonical form, and found in any form', async ([from, kept]) => {
  const { id } = await create(from, '/posts');
  expect((await studio.redirects.list.query({ q: kept })).items).toEqual([
    expect.objectContaining({ id, from: kept, to: '/posts', collection: null, record_id: null }),
  ]);
  expect(await leads(encodeURI(from).replaceAll('%25', '%'))).toBe('301 /posts');
  expect(await leads(`${kept}//`)).toBe('301 /posts');
  await studio.redirects.delete.mutate({ id });
  expect(await leads(kept)).toBe(404);
});

test('redirects with sources and targets of the maximum length work', async () => {
  const from = `/${'中'.repeat(111)}`;
  const to = `https://a.example/${'中'.repeat(220)}`;
  const { id } = await create(from, to);
  expect(await leads(encodeURI(from))).toBe(`301 ${encodeURI(to)}`);
  await studio.redirects.delete.mutate({ id });
  expect(await refusal(create('/from-here', `${to}中`))).toEqual({
    code: 'validation_failed',
    message: 'to: must have at most 2000 characters after percent-encoding',
  });
});

test.for([
  ['old', 'from: must be a path, such as /old-address'],
  ['//evil.example', 'from: must be a path, such as /old-address'],
  ['/a//b', 'from: must be a path, such as /old-address'],
  ['/a/../b', 'from: must be a path, such as /old-address'],
  ['/a/%2e%2e/b', 'from: must be a path, such as /old-address'],
  ['/a?b', 'from: must be a path, such as /old-address'],
  ['/a#b', 'from: must be a path, such as /old-address'],
  ['/%ff', 'from: must be a path, such as /old-address'],
  ['/a\\b', 'from: must be a path, such as /old-address'],
  ['/a%0d%0ab', 'from: must be a path, such as /old-address'],
  [`/${'中'.repeat(112)}`, 'from: must have at most 1000 characters after percent-encoding'],
  ['/', 'from: is reserved: the site uses this path'],
  ['/posts/', 'from: is reserved: the site uses this path'],
  ['/%70osts', 'from: is reserved: the site uses this path'],
  ['/api/v1/posts', 'from: is reserved: the site uses this path'],
  ['/%61pi/x', 'from: is reserved: the site uses this path'],
  ['/studio/x', 'from: is reserved: the site uses this path'],
  ['/media/x', 'from: is reserved: the site uses this path'],
  ['/feed.xml', 'from: is reserved: the site uses this path'],
] as const)('a redirect from %s is refused', async ([from, message]) => {
  expect(await refusal(create(from, '/cv'))).toEqual({ code: 'validation_failed', message });
});

test.for([
  'http://a.example/',
  'https://ada@a.example/',
  'https://ada:secret@a.example/',
  'https:a.example',
  'javascript:alert(1)',
  '//evil.example',
  '/\\evil.example',
  '/.//evil.example',
  '/%2e%2e//evil.example',
  '/\t/evil.example',
  'posts',
  '',
])('a redirect to "%s" is refused', async (to) => {
  expect(await refusal(create('/from-here', to))).toEqual({
    code: 'validation_failed',
    message: 'to: must be a path or an https URL',
  });
});

test("feed paths of other systems redirect to the site's feed, unless the owner redirects them", async () => {
  for (const path of ['/rss/', '/rss', '/feed/', '/rss.xml', '/atom.xml'])
    expect([path, await leads(path)]).toEqual([path, '301 /feed.xml']);
  expect(await leads('/rss/?from=reader')).toBe('301 /feed.xml?from=reader');
  await create('/index.xml', '/tags/boats/feed.xml');
  expect(await leads('/index.xml')).toBe('301 /tags/boats/feed.xml');
});

test('a redirect that would be part of a loop or chain is refused', async () => {
  const { id } = await create('/one', '/two?a=1');
  const { id: other } = await create('/three', '/posts');
  const refused = async (call: Promise<unknown>) => (await refusal(call)).message;
  expect(await refused(create('/self', '/self/#top'))).toBe('to: must not be the same path as `from`');
  expect(await refused(create('/one', '/posts'))).toBe('from: already has a redirect');
  expect(await refused(create('/zero', '/one?b'))).toBe(
    'to: is redirected itself, to /two?a=1: use the final target',
  );
  expect(await refused(create('/two', '/posts'))).toBe(
    'from: is the target of the redirect from /one: change that one to the final target first',
  );
  expect(await refused(studio.redirects.update.mutate({ id: other, from: '/two' }))).toMatch(/^from: /);
  expect(await refused(studio.redirects.update.mutate({ id: other, to: '/one' }))).toMatch(/^to: /);
  await studio.redirects.update.mutate({ id, to: '/cv', permanent: false });
  expect(await leads('/one')).toBe('302 /cv');
  expect(await refused(studio.redirects.delete.mutate({ id: 'mb3k9x2a7f0q1zd' }))).toBe('not found');
});

test('of two concurrent redirects to each other, one is refused', async () => {
  const tries = await Promise.allSettled([create('/left', '/right'), create('/right', '/left')]);
  expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('an update or deletion with an outdated version is refused', async () => {
  const { id } = await create('/shared', '/posts');
  const { updated } = await studio.redirects.get.query({ id });
  await studio.redirects.update.mutate({ id, to: '/cv' });
  const late = await app.post('/trpc/studio.redirects.update', {
    key: token,
    headers: { 'if-match': `"${updated.getTime()}-"` },
    body: { json: { id, to: '/talks' } },
  });
  expect(late.status).toBe(412);
  const deletedLate = await app.post('/trpc/studio.redirects.delete', {
    key: token,
    headers: { 'if-match': `"${updated.getTime()}-"` },
    body: { json: { id } },
  });
  expect(deletedLate.status).toBe(412);
  expect((await studio.redirects.get.query({ id })).to).toBe('/cv');
});

test('a site has at most 10,000 redirects, and deleting one makes room', async () => {
  const own = await app.seed.site({ subdomain: 'to-the-brim' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  await app.deps.database.em.execute(`
    insert into redirects (site_id, id, "from", "to", permanent, collection, record_id, created, updated)
    select '${own}', 'redirect' || lpad(number::text, 7, '0'), '/old/' || number, '/posts', true, '', '', now(), now()
    from generate_series(1, 10000) number`);
  const one = { from: '/one-more', to: '/posts' };
  expect(await refusal(theirs.redirects.create.mutate(one))).toEqual({
    code: 'validation_failed',
    message: 'from: a site has at most 10000 redirects',
  });
  const [{ id = '' } = {}] = (await theirs.redirects.list.query({ q: '/old/9999' })).items;
  await theirs.redirects.delete.mutate({ id });
  await theirs.redirects.create.mutate(one);
  expect((await theirs.redirects.list.query({})).total).toBe(10_000);
});

test('a URL of the site is treated as its path, whatever its host', async () => {
  const own = await app.seed.site({ subdomain: 'hosted', custom_domain: 'hosted.example' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  const { message } = await refusal(
    theirs.redirects.create.mutate({ from: '/loop', to: 'https://hosted.example/loop/' }),
  );
  expect(message).toBe('to: must not be the same path as `from`');
});

test('a target on a domain that the site acquired later causes no loop or chain', async () => {
  await create('/round/a', 'https://later.example/round/b');
  await create('/round/b', 'https://later.example/round/c');
  await create('/round/c', 'https://later.example/round/a');
  await create('/far/a', 'https://later.example/far/b');
  await create('/far/b', '/far/c');
  expect(await leads('/round/a')).toBe('301 https://later.example/round/b');
  await studio.site.update.mutate({ custom_domain: 'later.example' });
  const there = createVisitor(app.baseUrl, 'later.example');
  for (const path of ['/round/a', '/round/b', '/round/c']) expect((await there(path)).status).toBe(404);
  expect((await there('/far/a')).headers.location).toBe('/far/c');
  expect(await leads('/round/a')).toBe(404);
  await studio.site.update.mutate({ custom_domain: null });
  expect(await leads('/round/a')).toBe('301 https://later.example/round/b');
});

test('a later record at a path overrides its redirect, and a redirect from a shown path is refused', async () => {
  await create('/guide', '/posts');
  expect(await leads('/guide')).toBe('301 /posts');
  const { id } = await studio.pages.create.mutate({ title: 'Guide', slug: 'guide' });
  expect(await leads('/guide')).toBe(200);
  await studio.pages.update.mutate({ id, is_draft: true });
  expect(await leads('/guide')).toBe('301 /posts');
  await studio.posts.create.mutate({ title: 'Here', slug: 'here' });
  expect((await refusal(create('/posts/here', '/posts'))).message).toBe(
    'from: the site shows a page at this path',
  );
});

test('a path can redirect to the same path on another host', async () => {
  await create('/blog/moved', 'https://new.example/blog/moved');
  expect(await leads('/blog/moved')).toBe('301 https://new.example/blog/moved');
});

test('a redirect at a shown path is ignored, and other redirects may point to that path', async () => {
  const own = await app.seed.site({ subdomain: 'shadowed' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  const there = createVisitor(app.baseUrl, 'shadowed.localhost');
  await theirs.pages.create.mutate({ title: 'About', slug: 'about' });
  await theirs.redirects.create.mutate({ from: '/me', to: '/about' });
  const title = 'Private';
  const item = `<item><title>${title}</title><link>https://old.example/about/</link>
    <wp:post_id>7</wp:post_id><wp:post_name>about</wp:post_name><wp:status>private</wp:status><wp:post_type>page</wp:post_type></item>`;
  const channel = `<link>https://old.example</link><wp:base_blog_url>https://old.example</wp:base_blog_url>${item}`;
  const file = await temporaryFile(`<rss><channel>${channel}</channel></rss>`, 'wordpress.xml');
  await importFile(app.deps, file, { siteId: own, actor });
  expect((await theirs.redirects.list.query({ q: '/about' })).total).toBe(2);
  expect((await there('/me')).headers.location).toBe('/about');
  expect((await there('/about')).status).toBe(200);
  await theirs.redirects.create.mutate({ from: '/help', to: '/about' });
  expect((await there('/help')).headers.location).toBe('/about');
});

test('redirects to a record work while visitors can see it, and follow its slug', async () => {
  const aliases = ['/2020/01/moved/', '/?p=12', '/feed.xml', '/old/moved.html'];
  const matter = JSON.stringify({ title: 'Moved', slug: 'moved', draft: true, aliases });
  await importFile(app.deps, await folderOf({ 'moved.md': matter }), { siteId, actor });
  const { id = '' } = (await studio.posts.list.query({ q: 'Moved' })).items[0] ?? {};
  expect(await leads('/2020/01/moved/')).toBe('301 /2020/01/moved');
  expect(await leads('/2020/01/moved')).toBe(404);
  await studio.posts.update.mutate({ id, is_draft: false });
  expect(await leads('/2020/01/moved/')).toBe('301 /posts/moved');
  expect(await leads('/old/moved.html')).toBe('301 /posts/moved');
  await studio.posts.update.mutate({ id, slug: 'moved-again' });
  expect(await leads('/old/moved.html')).toBe('301 /posts/moved-again');
  expect((await studio.redirects.list.query({ q: 'MOVED-AGAIN' })).items).toEqual([
    expect.objectContaining({ to: '/posts/moved-again', collection: 'posts', record_id: id }),
    expect.objectContaining({ to: '/posts/moved-again', collection: 'posts', record_id: id }),
    expect.objectContaining({ to: '/posts/moved-again', collection: 'posts', record_id: id }),
  ]);
  await studio.posts.delete.mutate({ id });
  expect(await leads('/old/moved.html')).toBe(404);
});

test.for([
  ['/nothing/', '301 /nothing'],
  ['/nothing//?a=1&b', '301 /nothing?a=1&b'],
  ['/posts/', '301 /posts'],
  ['/posts/any/?q=%2F%2Fevil.example', '301 /posts/any?q=%2F%2Fevil.example'],
  ['/caf%c3%a9/', '301 /caf%C3%A9'],
  ['/api/v1/posts/', 404],
  ['/%61pi/v1/posts/', 404],
  ['/trpc/', 404],
  ['/mcp/', 404],
  ['//evil.example/', 404],
  ['///evil.example/', 404],
  ['/.//evil.example/', 404],
  ['/%2e%2e//evil.example/', 404],
  ['/\\evil.example/', 404],
  ['/%5cevil.example/', 404],
  ['/%2f%2fevil.example/', '301 /%2F%2Fevil.example'],
] as const)('a trailing slash: %s results in %s', async ([path, answer]) => {
  const got = await leads(path);
  expect(got).toBe(answer);
  const [, location = '/'] = `${got}`.split(' ');
  expect(new URL(location, 'https://site.example').host).toBe('site.example');
});
