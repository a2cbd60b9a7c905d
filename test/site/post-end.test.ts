import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

// Parts around the text of a post: its headings, its author, and links to other posts.

const app = await startApp();
const visit = createVisitor(app.baseUrl);
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const posts = recordsOf(app, 'posts', key);

const text = async (path: string) => (await visit(path)).text;
const hrefs = (html: string) => [...html.matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
const part = (html: string, name: string) =>
  new RegExp(`<(section|nav)[^>]* class="${name}"|<(section|nav) class="${name}"`).test(html)
    ? html.slice(html.indexOf(`class="${name}"`)).split(/<\/(?:section|nav)>/)[0]
    : undefined;

await studio.profile.update.mutate({ name: 'Ada Marsh', headline: 'Boring' });
for (const [slug, tags] of Object.entries({
  first: ['boats', 'tea'],
  second: ['tea'],
  third: [],
  fourth: ['boats'],
  fifth: ['boats', 'tea'],
  sixth: [],
})) {
  await posts.add({ title: `The ${slug}`, slug, tags, content: 'Short.' });
  app.clock.advance({ minutes: 1 });
}

test('a post leads to those published before and after it, then to those that share most topics', async () => {
  const html = await text('/posts/second');
  expect(hrefs(part(html, 'neighbours') ?? '')).toEqual(['/posts/first', '/posts/third']);
  expect(hrefs(part(html, 'further') ?? '')).toEqual(['/posts/fifth', '/posts/sixth', '/posts/fourth']);
  const last = await text('/posts/sixth');
  expect(hrefs(part(last, 'neighbours') ?? '')).toEqual(['/posts/fifth']);
  expect(hrefs(part(last, 'further') ?? '')).toEqual(['/posts/fourth', '/posts/third', '/posts/second']);
});

test('of posts of one moment each leads on, so that all are reached', async () => {
  const published_at = '2020-05-01T00:00:00.000Z';
  const slugs = ['one', 'two', 'three', 'four'];
  const ids: string[] = [];
  for (const slug of slugs) ids.push(await posts.add({ title: slug, slug, published_at }));
  const reached = new Set<string>();
  const nextOf = (html: string) => /class="next"[^>]* href="([^"]*)"/.exec(html)?.[1];
  const isFirst = async (slug: string) => !(await text(`/posts/${slug}`)).includes('class="prev"');
  const firsts = await Promise.all(slugs.map(isFirst));
  let path: string | undefined = `/posts/${slugs[firsts.indexOf(true)]}`;
  for (; path && !reached.has(path); path = nextOf(await text(path))) reached.add(path);
  expect(path).toBeUndefined();
  expect([...reached]).toHaveLength(slugs.length + 6);
  for (const id of ids) await posts.remove(id);
});

test('a post with an empty topic is shown', async () => {
  const id = await posts.add({ title: 'Untold', slug: 'untold', tags: [''] });
  const html = await text('/posts/untold');
  expect(html).toContain('<h1>Untold</h1>');
  expect(hrefs(html)).not.toContain('/tags/');
  await posts.remove(id);
});

test('whoever searches, a post that is not in memory is shown at once', async () => {
  const siteId = await app.seed.ownSite();
  const { promise: searching, resolve: end } = Promise.withResolvers<void>();
  const searches = Array.from({ length: 20 }, (_, number) =>
    app.deps.database.shares.searches(number === 0 ? siteId : `other${number}`, () => searching),
  );
  expect(await text('/posts/third')).toContain('Keep reading');
  end();
  await Promise.all(searches);
});

test('a post names the creator, and takes an address where the newsletter is shown', async () => {
  const html = await text('/posts/first');
  expect(part(html, 'byline')).toContain('Ada Marsh');
  expect(part(html, 'subscribe')).toContain('value="post: first"');
  await studio.site.update.mutate({ theme: { sections: ['posts'] } });
  expect(part(await text('/posts/first'), 'subscribe')).toBeUndefined();
});

test('a change of the name, a portrait, or another post is seen at the end of a post from the next visit on', async () => {
  await studio.profile.update.mutate({ name: 'Ada M.', avatar_url: 'https://a.example/ada.jpg' });
  const html = await text('/posts/first');
  expect(part(html, 'byline')).toMatch(/ada\.jpg.*Ada M\./s);
  const id = await posts.add({ title: 'Newest', slug: 'newest', tags: ['boats', 'tea'] });
  expect(await text('/posts/first')).toContain('/posts/newest');
  await posts.remove(id);
  expect(await text('/posts/first')).not.toContain('/posts/newest');
});

test('parts of a text have addresses of their own, and are listed from three on', async () => {
  const content = '## Zażółć & co\n\n### `Code` *here*\n\n## Same\n\n## Same\n\n#### Deep\n\n## 🪿';
  await posts.add({ title: 'Parts', slug: 'parts', content });
  const html = await text('/posts/parts');
  const ids = [...html.matchAll(/<h[2-6] id="(h-[^"]*)"/g)].map(([, id]) => id);
  expect(ids).toEqual(['h-zażółć-co', 'h-code-here', 'h-same', 'h-same-2', 'h-deep', 'h-part']);
  const listed = hrefs(part(html, 'contents') ?? '').map((href) => decodeURIComponent(href ?? ''));
  expect(listed).toEqual(['#h-zażółć-co', '#h-code-here', '#h-same', '#h-same-2', '#h-deep', '#h-part']);
  await posts.add({ title: 'Two', slug: 'two', content: '## One\n\n## Two' });
  expect(await text('/posts/two')).not.toContain('Contents');
});

test('code says its language, whatever it is called', async () => {
  const fences = ['ts', 'sh', 'brainfuck', '"><b>'].map((name) => `\`\`\`${name}\nx\n\`\`\``);
  await posts.add({ title: 'Code', slug: 'code', content: [...fences, '```\nplain\n```'].join('\n\n') });
  const html = await text('/posts/code');
  const named = [...html.matchAll(/<pre( data-language="([^"]*)")?>/g)].map(([, , name]) => name);
  expect(named.slice(0, 3)).toEqual(['TypeScript', 'Shell', 'brainfuck']);
  expect(named.slice(3)).toEqual([undefined, undefined]);
});

test('a topic has a feed of its own, which its page names', async () => {
  expect(hrefs(await text('/tags/tea'))).toContain('/tags/tea/feed.xml');
  const feed = await visit('/tags/tea/feed.xml');
  expect(feed.status).toBe(200);
  const titles = [...feed.text.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title);
  expect(titles).toEqual(['A site: tea', 'The fifth', 'The second', 'The first']);
  expect((await visit('/tags/none/feed.xml')).status).toBe(404);
});

test('the newsletter says what one gets, how often, what came last and how to leave', async () => {
  await studio.profile.update.mutate({ email: 'ada@example.com' });
  const html = await text('/newsletter');
  expect(html).toContain('mailto:ada@example.com');
  expect(hrefs(html).filter((href) => href?.startsWith('/posts/'))).toHaveLength(3);
  app.clock.advance({ minutes: 1 });
  await posts.add({ title: 'The latest one', slug: 'latest-one' });
  expect(await text('/newsletter')).toContain('/posts/latest-one');
});
