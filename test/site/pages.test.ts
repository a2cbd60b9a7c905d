import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

async function startSite() {
  const app = await startApp();
  const key = await app.seed.key();
  const token = await app.seed.ownerToken();
  return {
    ...app,
    key,
    posts: recordsOf(app, 'posts', key),
    studio: ownerClient(app.baseUrl, token).studio,
    visit: createVisitor(app.baseUrl),
  };
}

test('an empty site has a home page', async () => {
  await using app = await startSite();
  const home = await app.visit('/');
  expect([home.status, home.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(home.text).toContain('<h1>A site</h1>');
});

test("pages and feeds are titled with the site's name, and authored by the profile's", async () => {
  await using app = await startSite();
  await app.posts.add({ title: 'One', slug: 'one', content: 'Text' });
  await app.studio.site.update.mutate({ name: 'My site' });
  await app.studio.profile.update.mutate({ name: 'Mara Lindqvist' });
  const head = (html: string) => [
    /<title>([^<]*)/.exec(html)?.[1],
    /<a class="name"[^>]*>([^<]*)/.exec(html)?.[1],
    /og:site_name" content="([^"]*)/.exec(html)?.[1],
    /rel="author">([^<]*)/.exec(html)?.[1],
    /"author":{"@type":"Person","name":"([^"]*)/.exec(html)?.[1],
  ];
  const creator = 'Mara Lindqvist';
  // The site has no name yet.
  expect(head((await app.visit('/posts/one')).text)).toEqual([`One · ${creator}`, ...Array(4).fill(creator)]);
  await app.studio.site.update.mutate({ name: 'Slow Harbour' });
  const name = 'Slow Harbour';
  expect(head((await app.visit('/posts/one')).text)).toEqual([`One · ${name}`, name, name, creator, creator]);
  expect((await app.visit('/feed.xml')).text).toMatch(
    /<title>Slow Harbour<\/title>[\s\S]*<author><name>Mara Lindqvist</,
  );
  const { title, authors } = JSON.parse((await app.visit('/feed.json')).text);
  expect([title, authors]).toMatchObject([name, [{ name: creator }]]);
  expect((await app.visit('/newsletter')).text).toContain(`New posts by ${creator}`);
  expect((await app.visit('/cv')).text).toContain(`<h1>${creator}</h1>`);
});

test('the footer links to testimonials once one is approved', async () => {
  await using app = await startSite();
  const leads = async () => (await app.visit('/')).text.includes('href="/testimonials"');
  expect(await leads()).toBe(false);
  const said = { name: 'Bo', email: 'bo@a.example', content: 'She mends boats.' };
  await app.visit('/testimonials', { form: said });
  expect(await leads()).toBe(false);
  const [item] = (await app.studio.testimonials.list.query({})).items;
  await app.studio.testimonials.update.mutate({ id: item?.id ?? '', approved: true });
  expect(await leads()).toBe(true);
});

test('a link to a social network is labeled with its host', async () => {
  await using app = await startSite();
  await app.studio.profile.update.mutate({ twitter: 'https://www.boats.example/@mara' });
  expect((await app.visit('/')).text).toContain(
    'href="https://www.boats.example/@mara" rel="noopener">boats.example<',
  );
});

test('a gated entry of a feed has its excerpt and a note on how to get access', async () => {
  await using app = await startSite();
  await app.posts.add({
    title: 'Costs',
    slug: 'costs',
    content: 'Secret',
    access_tier: 'members',
    excerpt: 'Of winter.',
  });
  const teaser = 'Of winter.\n\nThis post is part of the membership. Sign in to read it.';
  expect((await app.visit('/feed.xml')).text).toContain(`<summary>${teaser}</summary>`);
  const { items } = JSON.parse((await app.visit('/feed.json')).text);
  expect(items).toMatchObject([{ summary: 'Of winter.', content_text: teaser }]);
});

test('an empty page shows a notice and no search form', async () => {
  await using app = await startSite();
  const empty = ['/posts', '/projects', '/courses', '/talks', '/cv'];
  for (const path of empty) expect((await app.visit(path)).text).toContain('Nothing here yet.');
  for (const path of ['/posts', '/nothing']) expect((await app.visit(path)).text).not.toContain('search');
  expect((await app.visit('/testimonials')).text).toContain('<h2>Be the first</h2>');
  await app.posts.add({ title: 'Found', slug: 'found' });
  for (const path of ['/posts', '/nothing']) expect((await app.visit(path)).text).toContain('role="search"');
  const unfound = await app.visit('/posts?q=unheard');
  expect(unfound.text).toContain('Nothing found.');
  expect(unfound.text).toContain('name="q" type="search" maxlength="200" value="unheard"');
});

test('skills without a category have no heading', async () => {
  await using app = await startSite();
  const skills = recordsOf(app, 'skills', app.key);
  for (const name of ['Rust', 'Knots']) await skills.add({ name });
  expect((await app.visit('/cv')).text).not.toContain('Other');
  await skills.add({ name: 'Dutch', category: 'Languages' });
  expect((await app.visit('/cv')).text).toContain('<dt>Other</dt>');
});

test('an open post is shown at its path, as HTML rendered from its Markdown', async () => {
  await using app = await startSite();
  await app.posts.add({ title: 'Hello & welcome', slug: 'hello', content: 'It is **here**.', tags: ['a b'] });
  const page = await app.visit('/posts/hello');
  expect(page.status).toBe(200);
  expect(page.text).toContain('<h1>Hello &amp; welcome</h1>');
  expect(page.text).toContain('<p>It is <strong>here</strong>.</p>');
  expect((await app.visit('/posts')).text).toContain('href="/posts/hello"');
  expect((await app.visit('/tags/a%20b')).text).toContain('href="/posts/hello"');
});

test('browsers may cache a page with revalidation, and a write is visible in the next response', async () => {
  await using app = await startSite();
  const id = await app.posts.add({ title: 'First', slug: 'first' });
  const before = await app.visit('/posts/first', { headers: { 'accept-encoding': 'br' } });
  expect(before.headers).toMatchObject({
    'cache-control': 'public, max-age=0, must-revalidate',
    'content-encoding': 'br',
    vary: 'Accept-Encoding, Cookie',
  });
  const again = (etag: unknown) =>
    app.visit('/posts/first', { headers: { 'accept-encoding': 'br', 'if-none-match': String(etag) } });
  expect(await again(before.headers.etag)).toMatchObject({ status: 304, text: '' });
  await app.posts.update(id, { title: 'Second' });
  expect((await again(before.headers.etag)).status).toBe(200);
  expect((await app.visit('/posts/first')).text).toContain('<h1>Second</h1>');
  await app.studio.profile.update.mutate({ name: 'Ada Marsh' });
  expect((await app.visit('/posts/first')).text).toContain('Ada Marsh');
  await app.studio.site.update.mutate({ theme: { scheme: 'dark' }, language: 'de' });
  expect((await app.visit('/posts/first')).text).toContain('<html lang="de" class="dark">');
});

test('a draft, private or unknown post or page is not found', async () => {
  await using app = await startSite();
  await app.posts.add({ title: 'Draft', slug: 'draft', is_draft: true });
  await app.posts.add({ title: 'Unlisted', slug: 'unlisted', visibility: 'unlisted' });
  await app.studio.pages.create.mutate({ title: 'Private', slug: 'private', visibility: 'private' });
  for (const path of ['/posts/draft', '/posts/unlisted', '/private', '/tags/none', '/posts?page=2', '/a/b'])
    expect([path, (await app.visit(path)).status]).toEqual([path, 404]);
});

test('an unlisted custom page has a path but is in no list', async () => {
  await using app = await startSite();
  await app.studio.pages.create.mutate({ title: 'Uses', content: 'A desk.', visibility: 'unlisted' });
  await app.studio.pages.create.mutate({ title: 'Imprint', content: 'Me.' });
  const page = await app.visit('/uses');
  expect(page.text).toContain('<p>A desk.</p>');
  expect(page.text).toContain('noindex');
  const home = await app.visit('/');
  expect(home.text).toContain('href="/imprint"');
  expect(home.text).not.toContain('/uses');
});

test('a custom page cannot take a reserved path: its slug is refused, or made from its title with a number', async () => {
  await using app = await startSite();
  for (const slug of ['posts', 'cv', 'api', 'sign-in', 'studio', 'media', 'internal'])
    expect(await refusal(app.studio.pages.create.mutate({ title: 'A page', slug }))).toMatchObject({
      code: 'validation_failed',
    });
  for (const path of ['/posts-2', '/posts-3']) {
    await app.studio.pages.create.mutate({ title: 'Posts' });
    expect((await app.visit(path)).text).toContain('<h1>Posts</h1>');
  }
});

test('a missing page is HTML for browsers and JSON for programs', async () => {
  await using app = await startSite();
  const missing = await app.visit('/nothing');
  expect([missing.status, missing.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  expect(missing.text).toContain('<h1>Page not found</h1>');
  const json = { status: 404, body: { error: { code: 'not_found', message: 'not found' } } };
  expect(await app.get('/nothing')).toEqual(json);
  expect(await app.get('/api/nothing', { headers: { accept: 'text/html' } })).toEqual(json);
  expect((await app.visit('/', { headers: { accept: '*/*' } })).text).toContain('<!doctype html>');
});

test('each site is available only at its own hosts', async () => {
  await using app = await startSite();
  const other = await app.seed.site({ subdomain: 'other', custom_domain: 'other.example.com' });
  const key = await app.seed.key({ siteId: other });
  await app.post('/api/v1/posts', { key, body: { title: 'Theirs', slug: 'theirs' } });
  await app.posts.add({ title: 'Ours', slug: 'ours' });
  await app.studio.site.update.mutate({ subdomain: 'ours' });
  const [ours, theirs, nobody] = ['ours.localhost', 'OTHER.example.com:80', 'nobody.example.com'].map(
    (host) => createVisitor(app.baseUrl, host),
  );
  expect((await ours?.('/posts/ours'))?.status).toBe(200);
  expect((await ours?.('/posts/theirs'))?.status).toBe(404);
  const page = await theirs?.('/posts/theirs');
  expect(page?.text).toContain('<link rel="canonical" href="http://other.example.com/posts/theirs">');
  expect((await nobody?.('/'))?.status).toBe(404);
});

test('a page allows no scripts and no framing', async () => {
  await using app = await startSite();
  const { headers } = await app.visit('/');
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'self';/);
  expect(headers['content-security-policy']).not.toMatch(/script|unsafe|\*/);
  expect(headers).toMatchObject({
    'referrer-policy': 'strict-origin-when-cross-origin',
    'x-content-type-options': 'nosniff',
  });
});

test('stylesheets and fonts have versioned paths and are cached indefinitely', async () => {
  await using app = await startSite();
  const stylesheet = /href="(\/assets\/[\w-]+\.css)"/.exec((await app.visit('/')).text)?.[1] ?? '';
  const { status, headers, text } = await app.visit(stylesheet);
  expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
  const font = /url\((\/assets\/fonts\/[^)]+latin-wght-normal\.woff2)\)/.exec(text)?.[1] ?? '';
  expect(await app.visit(font)).toMatchObject({ status: 200, headers: { 'content-type': 'font/woff2' } });
  const old = await app.visit('/assets/before.css');
  expect([old.text, old.headers['cache-control']]).toEqual([text, 'no-cache']);
  expect((await app.visit('/assets/fonts/1.0.0/../../package.json')).status).toBe(404);
});

test('pages have a rate limit of their own per client address', async () => {
  await using app = await startApp({ limits: {} });
  const visit = createVisitor(app.baseUrl);
  expect((await visit('/')).headers).toMatchObject({
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '99',
  });
  for (let n = 0; n < 99; n++) await visit('/posts');
  const refused = await visit('/nothing/at/all');
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
  expect(refused.text).toContain('<!doctype html>');
});
