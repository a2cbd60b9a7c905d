import { afterAll, expect, test } from 'vitest';
import { required } from '../../server/features/moving/carried.ts';
import { insertRows } from '../../server/features/moving/insert-rows.ts';
import { redirectRows } from '../../server/features/moving/redirect-rows.ts';
import { withQuery } from '../../server/surfaces/site/redirect.ts';
import { startApp } from '../support/app.ts';
import { archiveOf, importBytes } from '../support/archives.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const siteId = await app.seed.site({ subdomain: 'home' });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
const visit = createVisitor(app.baseUrl, 'home.localhost');

/** Where a visitor is sent; the status alone where nowhere. */
async function leads(path: string, options: Parameters<typeof visit>[1] = {}) {
  const { status, headers } = await visit(path, options);
  return headers.location === undefined ? status : `${status} ${headers.location}`;
}

const create = (from: string, to: string, permanent?: boolean) =>
  studio.redirects.create.mutate({ from, to, ...(permanent !== undefined && { permanent }) });

test('an old address leads on in one step, for good or for now, whoever asks and however', async () => {
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
] as const)('to %s with ?%s: %s', ([to, asked, merged]) => {
  expect(withQuery(to, asked)).toBe(merged);
});

test.for([
  ['/Über uns', '/%C3%9Cber%20uns'],
  ['/u\u0308ber', '/%C3%BCber'],
  ['/a%2Fb', '/a%2Fb'],
  ['/%7Eada/', '/~ada'],
  ['/index.php/x.html', '/index.php/x.html'],
  ['/feed', '/feed'],
  ['/posts/gone', '/posts/gone'],
  ['/API', '/API'],
] as const)('"%s" is kept in its one form, and found in any', async ([from, kept]) => {
  const { id } = await create(from, '/posts');
  expect((await studio.redirects.list.query({ q: kept })).items).toEqual([
    expect.objectContaining({ id, from: kept, to: '/posts', collection: null, record_id: null }),
  ]);
  expect(await leads(encodeURI(from).replaceAll('%25', '%'))).toBe('301 /posts');
  expect(await leads(`${kept}//`)).toBe('301 /posts');
  await studio.redirects.delete.mutate({ id });
  expect(await leads(kept)).toBe(404);
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
  ['/', 'from: is an address of the site itself'],
  ['/posts/', 'from: is an address of the site itself'],
  ['/%70osts', 'from: is an address of the site itself'],
  ['/api/v1/posts', 'from: is an address of the site itself'],
  ['/%61pi/x', 'from: is an address of the site itself'],
  ['/studio/x', 'from: is an address of the site itself'],
  ['/media/x', 'from: is an address of the site itself'],
  ['/feed.xml', 'from: is an address of the site itself'],
] as const)('nothing leads on from %s', async ([from, message]) => {
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
])('nothing leads to "%s"', async (to) => {
  expect(await refusal(create('/from-here', to))).toEqual({
    code: 'validation_failed',
    message: 'to: must be a path or an https address',
  });
});

test('nobody is led in circles, nor by more than one step', async () => {
  const { id } = await create('/one', '/two?a=1');
  const { id: other } = await create('/three', '/posts');
  const refused = async (call: Promise<unknown>) => (await refusal(call)).message;
  expect(await refused(create('/self', '/self/#top'))).toBe('to: leads back to where it begins');
  expect(await refused(create('/one', '/posts'))).toBe('from: leads somewhere already');
  expect(await refused(create('/zero', '/one?b'))).toBe(
    'to: leads on itself, to /two?a=1: name where it ends',
  );
  expect(await refused(create('/two', '/posts'))).toBe(
    'from: /one leads here: have that lead to the end first',
  );
  expect(await refused(studio.redirects.update.mutate({ id: other, from: '/two' }))).toMatch(/^from: /);
  expect(await refused(studio.redirects.update.mutate({ id: other, to: '/one' }))).toMatch(/^to: /);
  await studio.redirects.update.mutate({ id, to: '/cv', permanent: false });
  expect(await leads('/one')).toBe('302 /cv');
  expect(await refused(studio.redirects.delete.mutate({ id: 'mb3k9x2a7f0q1zd' }))).toBe('not found');
});

test('of two that would lead to each other at once, one is refused', async () => {
  const tries = await Promise.allSettled([create('/left', '/right'), create('/right', '/left')]);
  expect(tries.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('an address of the site is its path, whichever host it is written with', async () => {
  const own = await app.seed.site({ subdomain: 'hosted', custom_domain: 'hosted.example' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  const { message } = await refusal(
    theirs.redirects.create.mutate({ from: '/loop', to: 'https://hosted.example/loop/' }),
  );
  expect(message).toBe('to: leads back to where it begins');
});

test('a record that takes the path later wins, and a path where something is shown is refused', async () => {
  await create('/guide', '/posts');
  expect(await leads('/guide')).toBe('301 /posts');
  const { id } = await studio.pages.create.mutate({ title: 'Guide', slug: 'guide' });
  expect(await leads('/guide')).toBe(200);
  await studio.pages.update.mutate({ id, is_draft: true });
  expect(await leads('/guide')).toBe('301 /posts');
  await studio.posts.create.mutate({ title: 'Here', slug: 'here' });
  expect((await refusal(create('/posts/here', '/posts'))).message).toBe('from: something is shown there');
});

test('what leads to a record does so while visitors see it, wherever that is', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Moved', slug: 'moved', is_draft: true });
  const rows = redirectRows(app.deps, {
    collection: 'posts',
    record_id: id,
    paths: ['/2020/01/moved/', '/?p=12', '/feed.xml', '/old/moved.html'],
  });
  await insertRows(app.deps.database.em, required('redirects'), siteId, rows);
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
  ['/studio/a/', 200],
  ['//evil.example/', 404],
  ['///evil.example/', 404],
  ['/.//evil.example/', 404],
  ['/%2e%2e//evil.example/', 404],
  ['/\\evil.example/', 404],
  ['/%5cevil.example/', 404],
  ['/%2f%2fevil.example/', '301 /%2F%2Fevil.example'],
] as const)('a slash at the end: %s answers %s', async ([path, answer]) => {
  const got = await leads(path);
  expect(got).toBe(answer);
  const [, location = '/'] = `${got}`.split(' ');
  expect(new URL(location, 'https://site.example').host).toBe('site.example');
});

test('redirects are a site of their own, and move with it', async () => {
  const own = await app.seed.site({ subdomain: 'old-home' });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(own)).studio;
  await theirs.redirects.create.mutate({ from: '/alone', to: '/cv' });
  const { id } = await theirs.redirects.create.mutate({ from: '/second', to: 'https://a.example/' });
  expect(await refusal(studio.redirects.update.mutate({ id, to: '/cv' }))).toMatchObject({
    code: 'not_found',
  });
  expect(await refusal(studio.redirects.delete.mutate({ id }))).toMatchObject({ code: 'not_found' });
  expect((await studio.redirects.list.query({ q: '/alone' })).total).toBe(0);
  const archive = await archiveOf(app, own);
  await using there = await startApp();
  expect((await importBytes(there, archive)).counts).toMatchObject({ refused: 0 });
  const elsewhere = createVisitor(there.baseUrl);
  expect((await elsewhere('/alone/')).headers.location).toBe('/cv');
  expect((await archiveOf(there, own)).equals(archive)).toBe(true);
});

test('what leads to another by an import leads to the end of that, and never in a circle', async () => {
  const own = await app.seed.site({ subdomain: 'chained' });
  const at = new Date().toISOString();
  const row = (from: string, to: string, id: string) => ({
    ...{ id, from, to, permanent: true, collection: '', record_id: '', created: at, updated: at },
  });
  await insertRows(app.deps.database.em, required('redirects'), own, [
    row('/a', '/b', 'aaaaaaaaaaaaaaa'),
    row('/b', '/cv', 'bbbbbbbbbbbbbbb'),
    row('/c', '/d', 'ccccccccccccccc'),
    row('/d', '/c', 'ddddddddddddddd'),
  ]);
  const there = createVisitor(app.baseUrl, 'chained.localhost');
  expect((await there('/a')).headers.location).toBe('/cv');
  expect((await there('/c')).status).toBe(404);
});
