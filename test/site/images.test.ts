import { afterAll, expect, test } from 'vitest';
import { makeRenditions } from '../../worker/images/make-renditions.ts';
import { startApp } from '../support/app.ts';
import { formOf, pictureElement } from '../support/images.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key({ scopes: ['write', 'write:media'] });

const pageOf = async (slug: string) => (await fetch(`${app.baseUrl}/posts/${slug}`)).text();
const imagesOf = (html: string) => [...html.matchAll(/<img [^>]*>/g)].map(([tag]) => tag);

const upload = async (content: Buffer) =>
  (await app.post('/api/v2/media', { key, ...formOf(content, { name: 'a (b).jpg' }) })).body as {
    id: string;
    url: string;
  };

const publish = (slug: string, content: string) =>
  app.post('/api/v1/posts', { key, body: { title: slug, slug, content } });

test('own images have reserved space, and renditions once they exist', async () => {
  const { id, url } = await upload(await pictureElement('jpeg', { width: 1000, height: 500 }));
  await publish('one', `![own](${url})\n\n![other](https://b.example/media/${id}/c.png)`);
  const [before = ''] = imagesOf(await pageOf('one'));
  expect(before).toContain('width="1000" height="500"');
  expect(before).toContain('loading="lazy"');
  expect(before).not.toContain('srcset');
  await makeRenditions(app.deps, new AbortController().signal);
  const [own = '', other = ''] = imagesOf(await pageOf('one'));
  const copies = [400, 800].map((width) => `/media/${id}/${width}/a%20%28b%29.webp ${width}w`);
  expect(own).toContain(`srcset="${[...copies, `${url} 1000w`].join(', ')}"`);
  expect(own).toMatch(/ sizes="[^"]+"/);
  expect(other).not.toContain('srcset');
  for (const [, address = ''] of own.matchAll(/(\/media\/\S+?) \d+w/g))
    expect((await fetch(app.baseUrl + address)).status).toBe(200);
});

test('attributes that the author set stay, and images of deleted files stay as written', async () => {
  const { id, url } = await upload(await pictureElement('png', { width: 300, height: 200 }));
  await publish('two', `<img src="${url}" width="30" alt="a">\n\n![b](/media/mb3k9x2a7f0q1zd/b.png)`);
  const [own = '', gone = ''] = imagesOf(await pageOf('two'));
  expect(own).toContain('width="30"');
  expect(own).not.toContain('height=');
  expect(gone).not.toContain('width=');
  await app.delete(`/api/v2/media/${id}`, { key });
  expect(imagesOf(await pageOf('two'))).toHaveLength(2);
});

test('feeds contain images by absolute URLs', async () => {
  const { url } = await upload(await pictureElement('png', { width: 301, height: 200 }));
  await publish('three', `![a](${url})`);
  const feed = await (await fetch(`${app.baseUrl}/feed.json`)).text();
  expect(feed).toContain(JSON.stringify(`src="http://localhost:3000${url}"`).slice(1, -1));
});

test('the caption of an image appears below it on its page and in feeds', async () => {
  const { url } = await upload(await pictureElement('png', { width: 302, height: 200 }));
  await publish('four', `![a](${url} "By Ada & me")`);
  const caption = '<figcaption>By Ada &amp; me</figcaption></figure>';
  expect(await pageOf('four')).toMatch(new RegExp(`<figure><img [^>]*>${caption}`));
  expect(await (await fetch(`${app.baseUrl}/feed.json`)).text()).toContain(caption);
});
