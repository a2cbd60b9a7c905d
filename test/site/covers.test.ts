import { afterAll, expect, test } from 'vitest';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { ownerClient } from '../support/rpc.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: ['write:media'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const origin = 'http://localhost:3000';

const pageOf = async (path: string) => (await fetch(app.baseUrl + path)).text();
const metaOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<meta (?:property|name)="([^"]+)" content="([^"]*)">/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  );
const imagesOf = (html: string) => [...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag);

async function upload(width: number, height: number, alt: string) {
  const form = formOf(await pictureElement('jpeg', { width, height }), { name: 'Harbour (1).jpg' });
  const { body } = await app.post('/api/v2/media', { key, ...form });
  const { id } = body as { id: string };
  await studio.media.update.mutate({ id, alt });
  return id;
}

const wide = await upload(1_500, 1_000, 'Boats & "nets"');
const said = { cover: wide, meta_title: 'For search', meta_description: 'Found by <it>' };
await studio.posts.create.mutate({ title: 'Post', slug: 'post', excerpt: 'Own', content: 'Text', ...said });
await studio.projects.create.mutate({ title: 'Project', slug: 'project', ...said });
await studio.courses.create.mutate({ title: 'Course', slug: 'course', ...said });
await studio.pages.create.mutate({ title: 'Page', slug: 'page', content: 'Text', ...said });
await studio.talks.create.mutate({ title: 'Talk', date: '2026-05-01', ...said });

const pages = ['/posts/post', '/projects/project', '/courses/course', '/page'];
const named = `/media/${wide}/Harbour%20%281%29.jpg`;
const copy = (width: number) => `/media/${wide}/${width}/Harbour%20%281%29.webp`;

test('pages use the meta texts of their records, and the original cover until renditions exist', async () => {
  for (const path of pages) {
    const html = await pageOf(path);
    expect(html).toContain('<title>For search ·');
    expect(metaOf(html)).toMatchObject({
      description: 'Found by &lt;it&gt;',
      'og:title': 'For search',
      'og:description': 'Found by &lt;it&gt;',
      'og:image': `${origin}${named}`,
      'og:image:width': '1500',
      'og:image:height': '1000',
      'og:image:alt': 'Boats &amp; &quot;nets&quot;',
      'twitter:card': 'summary_large_image',
    });
    const [cover = ''] = imagesOf(html);
    expect(cover).toContain('width="1500" height="1000"');
    expect(cover).toContain('alt="Boats &amp; &quot;nets&quot;"');
    expect(cover).not.toContain('loading');
    expect(cover).not.toContain('srcset');
  }
});

test('the social image of a page is 1200 pixels wide once that rendition exists, also in structured data', async () => {
  while ((await makeRenditions(app.deps, new AbortController().signal)) === 0);
  for (const path of pages) {
    const html = await pageOf(path);
    expect(metaOf(html)).toMatchObject({
      'og:image': `${origin}${copy(1_200)}`,
      'og:image:width': '1200',
      'og:image:height': '800',
    });
    const [cover = ''] = imagesOf(html);
    expect(cover).toContain(
      `srcset="${[400, 800, 1_200].map((width) => `${copy(width)} ${width}w`).join(', ')}`,
    );
    expect(cover).toMatch(/ sizes="[^"]+"/);
  }
  for (const path of pages) expect(await pageOf(path)).toContain(`"image":"${origin}${copy(1_200)}"`);
  expect(await pageOf('/talks')).toContain(`"image":"${origin}${copy(1_200)}"`);
  expect((await fetch(app.baseUrl + copy(1_200))).status).toBe(200);
});

test('lists show lazy covers without alternative text beside their titles', async () => {
  for (const path of ['/', '/posts', '/projects', '/courses', '/talks']) {
    const images = imagesOf(await pageOf(path));
    expect([path, images.length > 0]).toEqual([path, true]);
    for (const image of images) {
      expect(image).toContain('alt=""');
      expect(image).toContain('loading="lazy"');
    }
  }
});

test('feeds contain the covers of posts', async () => {
  const feed = JSON.parse(await pageOf('/feed.json')) as { items: { image?: string }[] };
  expect(feed.items[0]?.image).toBe(`${origin}${copy(1_200)}`);
  const atom = await pageOf('/feed.xml');
  expect(atom).toContain(`<link rel="enclosure" type="image/webp" href="${origin}${copy(1_200)}"/>`);
  expect(atom).toContain(
    `<media:content url="${origin}${copy(1_200)}" medium="image" width="1200" height="800">`,
  );
});

test('a narrow cover is shared as it is, and a post without a cover has a generated social image', async () => {
  const small = await upload(700, 500, '');
  await studio.posts.create.mutate({ title: 'Narrow', slug: 'narrow', cover: small });
  await studio.posts.create.mutate({ title: 'Bare', slug: 'bare', excerpt: 'Own' });
  const narrow = metaOf(await pageOf('/posts/narrow'));
  expect(narrow).toMatchObject({ 'og:image:width': '700', 'twitter:card': 'summary_large_image' });
  expect(narrow).not.toHaveProperty('og:image:alt');
  const bare = metaOf(await pageOf('/posts/bare'));
  expect(bare).toMatchObject({
    'og:title': 'Bare',
    description: 'Own',
    'og:image': `${origin}/assets/cards/posts/bare.png`,
    'twitter:card': 'summary_large_image',
  });
});

test('a changed alternative text, or a deleted cover, is visible in the next response', async () => {
  await studio.media.update.mutate({ id: wide, alt: 'Empty' });
  expect(imagesOf(await pageOf('/posts/post'))[0]).toContain('alt="Empty"');
  await studio.media.update.mutate({ id: wide, caption: 'By <Ada>', focus: { x: 22, y: 63 } });
  const html = await pageOf('/posts/post');
  expect(html).toContain('<figcaption>By &lt;Ada&gt;</figcaption>');
  expect(imagesOf(html)[0]).toContain('class="x20 y65"');
  const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(html) ?? [];
  expect(await pageOf(sheet)).toContain('.x20{--x:20%}.y20{--y:20%}');
  await studio.media.delete.mutate({ id: wide });
  // A post also links to other posts, which may have covers.
  for (const path of [...pages, '/projects', '/talks', '/courses'])
    expect(imagesOf(await pageOf(path)).filter((image) => image.includes(wide))).toEqual([]);
});
