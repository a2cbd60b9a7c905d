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

test('a post links to its neighbors by date, then to the posts with most common tags', async () => {
  const html = await text('/posts/second');
  expect(hrefs(part(html, 'neighbours') ?? '')).toEqual(['/posts/first', '/posts/third']);
  expect(hrefs(part(html, 'further') ?? '')).toEqual(['/posts/fifth', '/posts/sixth', '/posts/fourth']);
  const last = await text('/posts/sixth');
  expect(hrefs(part(last, 'neighbours') ?? '')).toEqual(['/posts/fifth']);
  expect(hrefs(part(last, 'further') ?? '')).toEqual(['/posts/fourth', '/posts/third', '/posts/second']);
});

test('posts with equal publication times are all reachable by their next links', async () => {
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

test('a post with an empty tag is shown', async () => {
  const id = await posts.add({ title: 'Untold', slug: 'untold', tags: [''] });
  const html = await text('/posts/untold');
  expect(html).toContain('<h1>Untold</h1>');
  expect(hrefs(html)).not.toContain('/tags/');
  await posts.remove(id);
});

test('an uncached post is shown with its related posts while other searches use up the quota', async () => {
  const siteId = await app.seed.ownSite();
  const { promise: searching, resolve: end } = Promise.withResolvers<void>();
  const searches = Array.from({ length: 20 }, (_, number) =>
    app.deps.database.quotas.searches(number === 0 ? siteId : `other${number}`, () => searching),
  );
  expect(await text('/posts/third')).toContain('Keep reading');
  end();
  await Promise.all(searches);
});

test('a post names the creator, and has a subscription form if the newsletter is a section', async () => {
  const html = await text('/posts/first');
  expect(part(html, 'byline')).toContain('Ada Marsh');
  expect(part(html, 'subscribe')).toContain('value="post: first"');
  await studio.site.update.mutate({ theme: { sections: ['posts'] } });
  expect(part(await text('/posts/first'), 'subscribe')).toBeUndefined();
});

test('a new name, portrait or post is visible at the end of a post in the next response', async () => {
  await studio.profile.update.mutate({ name: 'Ada M.', avatar_url: 'https://a.example/ada.jpg' });
  const html = await text('/posts/first');
  expect(part(html, 'byline')).toMatch(/ada\.jpg.*Ada M\./s);
  const id = await posts.add({ title: 'Newest', slug: 'newest', tags: ['boats', 'tea'] });
  expect(await text('/posts/first')).toContain('/posts/newest');
  await posts.remove(id);
  expect(await text('/posts/first')).not.toContain('/posts/newest');
});

test('headings of a post have links, and a table of contents if there are at least three', async () => {
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

test('code blocks show the name of their language', async () => {
  const fences = ['ts', 'sh', 'brainfuck', '"><b>'].map((name) => `\`\`\`${name}\nx\n\`\`\``);
  await posts.add({ title: 'Code', slug: 'code', content: [...fences, '```\nplain\n```'].join('\n\n') });
  const html = await text('/posts/code');
  const named = [...html.matchAll(/<pre( data-language="([^"]*)")?>/g)].map(([, , name]) => name);
  expect(named.slice(0, 3)).toEqual(['TypeScript', 'Shell', 'brainfuck']);
  expect(named.slice(3)).toEqual([undefined, undefined]);
});

test('a tag has its own feed, to which its page links', async () => {
  expect(hrefs(await text('/tags/tea'))).toContain('/tags/tea/feed.xml');
  const feed = await visit('/tags/tea/feed.xml');
  expect(feed.status).toBe(200);
  const titles = [...feed.text.matchAll(/<title>([^<]*)<\/title>/g)].map(([, title]) => title);
  expect(titles).toEqual(['A site: tea', 'The fifth', 'The second', 'The first']);
  expect((await visit('/tags/none/feed.xml')).status).toBe(404);
});

test('the newsletter page has the latest posts and a contact address for unsubscribing', async () => {
  await studio.profile.update.mutate({ email: 'ada@example.com' });
  const html = await text('/newsletter');
  expect(html).toContain('mailto:ada@example.com');
  expect(hrefs(html).filter((href) => href?.startsWith('/posts/'))).toHaveLength(3);
  app.clock.advance({ minutes: 1 });
  await posts.add({ title: 'The latest one', slug: 'latest-one' });
  expect(await text('/newsletter')).toContain('/posts/latest-one');
});
