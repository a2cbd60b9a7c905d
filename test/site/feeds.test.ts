import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { afterAll, expect, test } from 'vitest';
import { z } from 'zod';
import { recordsOf } from '../support/content.ts';
import { demoPages, startDemoSite } from '../support/demo-site.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startDemoSite();
const visit = createVisitor(app.baseUrl);
afterAll(() => app[Symbol.asyncDispose]());

/** Text that breaks XML and JSON unless it is escaped or removed. */
const awkward = 'A & B < C > "D" \u0007 ]]> 🦆';
const key = await app.seed.key({ siteId: app.siteId });
const headers = { authorization: `Bearer ${key}` };
const posts = recordsOf(app, 'posts', key);
await posts.add({
  title: awkward,
  excerpt: awkward,
  content: `${awkward}\n\n\`\`\`html\n<![CDATA[ x ]]>\n\`\`\``,
  tags: [awkward],
});

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  isArray: (name) => ['entry', 'link', 'category', 'url'].includes(name),
});

async function readXml(path: string): Promise<unknown> {
  const { text } = await visit(path);
  expect(XMLValidator.validate(text)).toBe(true);
  return parser.parse(text);
}

const inSite = z.url().refine((url) => url.startsWith(`http://localhost:`) || url.startsWith(app.baseUrl));
const timestamp = z.iso.datetime();
const link = z.object({ rel: z.enum(['self', 'alternate']), type: z.string(), href: inSite });

const image = link.extend({ rel: z.literal('enclosure') });

const Atom = z.object({
  feed: z.object({
    xmlns: z.literal('http://www.w3.org/2005/Atom'),
    id: z.url(),
    title: z.string().min(1),
    updated: timestamp,
    author: z.object({ name: z.string().min(1), uri: inSite }),
    link: z.array(link).length(2),
    entry: z
      .array(
        z.object({
          id: z.string().regex(/^tag:[^,]+,\d{4}:\w+$/),
          title: z.string().min(1),
          link: z.tuple([link], image),
          published: timestamp,
          updated: timestamp,
          category: z.array(z.object({ term: z.string().min(1) })).optional(),
          summary: z.string().optional(),
          content: z.object({ type: z.literal('html'), '#text': z.string() }).optional(),
        }),
      )
      .min(1),
  }),
});

const JsonFeed = z.strictObject({
  version: z.literal('https://jsonfeed.org/version/1.1'),
  title: z.string().min(1),
  home_page_url: inSite,
  feed_url: inSite,
  description: z.string().optional(),
  language: z.string(),
  authors: z.array(z.strictObject({ name: z.string(), url: inSite })).length(1),
  items: z
    .array(
      z
        .strictObject({
          id: z.string().min(1),
          url: inSite,
          title: z.string(),
          image: inSite.optional(),
          summary: z.string().optional(),
          content_html: z.string().optional(),
          content_text: z.string().optional(),
          date_published: timestamp,
          date_modified: timestamp,
          tags: z.array(z.string()),
        })
        .refine(({ content_html, content_text }) => (content_html ?? content_text) !== undefined),
    )
    .min(1),
});

const Sitemap = z.object({
  urlset: z.object({
    xmlns: z.literal('http://www.sitemaps.org/schemas/sitemap/0.9'),
    url: z.array(z.object({ loc: inSite, lastmod: timestamp.optional() })).min(10),
  }),
});

const Thing = z.object({ '@type': z.string() });
const person = z.strictObject({ '@type': z.literal('Person'), name: z.string().min(1), url: inSite });
const text = z.string().min(1);
const day = z.string().regex(/^\d{4}(-\d\d(-\d\d)?)?/);

/** Properties that search engines require, by type. */
const kinds: Record<string, z.ZodType> = {
  WebSite: z.looseObject({ name: text, url: inSite }),
  Person: z.looseObject({ name: text, url: inSite, sameAs: z.array(z.url()).optional() }),
  BlogPosting: z.looseObject({
    headline: text.max(110),
    url: inSite,
    mainEntityOfPage: inSite,
    datePublished: timestamp,
    dateModified: timestamp,
    isAccessibleForFree: z.boolean(),
    author: person,
  }),
  Course: z.looseObject({ name: text, description: text, url: inSite, provider: person }),
  Event: z.looseObject({
    name: text,
    startDate: day,
    location: z.looseObject({ '@type': z.literal('Place'), name: text }),
    performer: person,
  }),
  CreativeWork: z.looseObject({ name: text, url: z.url(), author: person }),
  WebPage: z.looseObject({
    name: text,
    description: text,
    url: inSite,
    dateModified: timestamp,
    author: person,
  }),
  BreadcrumbList: z.looseObject({
    itemListElement: z
      .array(
        z.strictObject({
          '@type': z.literal('ListItem'),
          position: z.int().min(1),
          name: text,
          item: inSite,
        }),
      )
      .min(1),
  }),
};

test('URLs in a post are absolute in both feeds and its Markdown, and unchanged in the API', async () => {
  const content = [
    '[a](../up) [b](?c=1) ![d](pic.png) [e](#part) [f][g] [h](#other-1)',
    '[g]: ../ref\n\n<img src="/i.png" srcset="j.png 1x, /k.png 2x" alt=""> <video poster="l.jpg" src="m.mp4"></video>',
    '## Part\n\n## Other\n\n## Other',
  ].join('\n\n');
  const id = await posts.add({ title: 'Leaves its page', slug: 'leaves', content });
  const { items } = JsonFeed.parse(JSON.parse((await visit('/feed.json')).text));
  const { feed } = Atom.parse(await readXml('/feed.xml'));
  const { url: page = '', content_html = '' } = items.find(({ title }) => title === 'Leaves its page') ?? {};
  const { origin } = new URL(page);
  const expected = [
    `${origin}/up`,
    `${page}?c=1`,
    `${origin}/posts/pic.png`,
    `${page}#h-part`,
    `${origin}/ref`,
    `${page}#h-other-2`,
    `${origin}/i.png`,
    `${origin}/posts/j.png 1x, ${origin}/k.png 2x`,
    `${origin}/posts/l.jpg`,
    `${origin}/posts/m.mp4`,
  ];
  const inAtom = feed.entry.find(({ title }) => title === 'Leaves its page')?.content?.['#text'] ?? '';
  for (const body of [content_html, inAtom])
    expect(addressesIn(body).toSorted()).toEqual(expected.toSorted());
  const markdown = (await visit('/posts/leaves.md')).text;
  for (const address of expected) expect(markdown).toContain(address);
  expect(markdown).not.toMatch(/\]\((?!http)|\]: (?!http)|(?:src|srcset|poster)="(?!http)/);
  expect((await visit('/posts/leaves')).text).toContain('<a href="#h-other-2">h</a>');
  const read = await fetch(`${app.baseUrl}/api/v1/posts/leaves`, { headers });
  expect(await read.json()).toMatchObject({ content });
  await posts.remove(id);
});

const addressesIn = (html: string) =>
  [...html.matchAll(/ (?:href|src|srcset|poster)="([^"]*)"/g)].map(([, value = '']) => value);

test('the Atom feed meets RFC 4287, and its IDs are unique', async () => {
  const { feed } = Atom.parse(await readXml('/feed.xml'));
  expect(feed.link.map(({ rel }) => rel)).toEqual(['self', 'alternate']);
  expect(new Set(feed.entry.map(({ id }) => id)).size).toBe(feed.entry.length);
  expect(feed.entry[0]?.category).toEqual([{ term: awkward.replace('\u0007', '') }]);
});

test('the JSON feed meets version 1.1, with the posts of the Atom feed', async () => {
  const { items } = JsonFeed.parse(JSON.parse((await visit('/feed.json')).text));
  const { feed } = Atom.parse(await readXml('/feed.xml'));
  expect(items.map(({ id }) => id)).toEqual(feed.entry.map(({ id }) => id));
  expect(items[0]?.title).toBe(awkward);
});

test('the sitemap contains each page once, and every page exists', async () => {
  const { urlset } = Sitemap.parse(await readXml('/sitemap.xml'));
  const paths = urlset.url.map(({ loc }) => new URL(loc).pathname);
  expect(new Set(paths).size).toBe(paths.length);
  for (const path of paths) expect([path, (await visit(path)).status]).toEqual([path, 200]);
});

test('robots.txt names the sitemap, and disallows no page of it', async () => {
  const lines = (await visit('/robots.txt')).text.split('\n');
  const { urlset } = Sitemap.parse(await readXml('/sitemap.xml'));
  expect(lines[0]).toBe('User-agent: *');
  expect(lines.find((line) => line.startsWith('Sitemap: '))).toMatch(/\/sitemap\.xml$/);
  const closed = lines.flatMap((line) => (line.startsWith('Disallow: ') ? [line.slice(10)] : []));
  const paths = urlset.url.map(({ loc }) => new URL(loc).pathname);
  expect(paths.filter((path) => closed.some((prefix) => path.startsWith(prefix)))).toEqual([]);
});

test('structured data has the properties that search engines require, and every type occurs', async () => {
  const seen = new Set<string>();
  for (const path of demoPages) {
    const page = await visit(path);
    for (const [, json = ''] of page.text.matchAll(
      /<script type="application\/ld\+json">(.*?)<\/script>/gs,
    )) {
      const data: unknown = JSON.parse(json);
      for (const thing of [data].flat()) {
        const type = Thing.parse(thing)['@type'];
        seen.add(type);
        expect([path, type, kinds[type]?.safeParse(thing).error?.issues]).toEqual([path, type, undefined]);
      }
    }
  }
  expect([...seen].sort()).toEqual(Object.keys(kinds).sort());
});

test('URLs in feeds are absolute, but URLs in code stay as written', async () => {
  await recordsOf(app, 'posts', await app.seed.key({ siteId: app.siteId })).add({
    title: 'Addresses',
    content: [
      '[On](/posts/on) <img src="/a.png" srcset="/a.png 1x, /b.png 2x"> <video src="/v.mp4" poster="/p.png"></video>',
      '`<a href="/as-it-is">`',
    ].join('\n\n'),
  });
  const { items } = JsonFeed.parse(JSON.parse((await visit('/feed.json')).text));
  const { content_html: body = '', url } = items.find(({ title }) => title === 'Addresses') ?? {};
  const { origin } = new URL(url ?? '');
  expect(body).toContain('&lt;a href="/as-it-is"&gt;');
  const addresses = [...body.matchAll(/<[^>]*>/g)].flatMap(([tag]) =>
    [...tag.matchAll(/(?:src|href|srcset|poster)="([^"]*)"/g)].map(([, address]) => address),
  );
  expect(addresses).toEqual([
    ...[`${origin}/posts/on`, `${origin}/a.png`, `${origin}/a.png 1x, ${origin}/b.png 2x`],
    ...[`${origin}/v.mp4`, `${origin}/p.png`],
  ]);
});
