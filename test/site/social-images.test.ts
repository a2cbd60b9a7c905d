import sharp, { type Region } from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

// Social images of pages without a cover.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
await studio.profile.update.mutate({ name: 'Ada Marsh', headline: 'Boring on purpose' });

async function cardOf(path: string) {
  const page = await (await fetch(app.baseUrl + path)).text();
  const [, address = ''] = /<meta property="og:image" content="([^"]+)">/.exec(page) ?? [];
  expect(page).toContain('<meta property="og:image:width" content="1200">');
  return new URL(address).pathname;
}

async function draw(path: string) {
  const response = await fetch(app.baseUrl + path);
  expect([path, response.status, response.headers.get('content-type')]).toEqual([path, 200, 'image/png']);
  return Buffer.from(await response.arrayBuffer());
}

/** Share of a region's pixels that have a color. */
async function shareOf(png: Buffer, colour: readonly number[], part: Region) {
  const { data, info } = await sharp(png)
    .removeAlpha()
    .extract(part)
    .raw()
    .toBuffer({ resolveWithObject: true });
  let count = 0;
  for (let at = 0; at < data.length; at += info.channels)
    if (colour.every((value, channel) => Math.abs((data[at + channel] ?? 0) - value) < 8)) count++;
  return count / (data.length / info.channels);
}

const ink = [0x1d, 0x1b, 0x18];
const accent = [0xb3, 0x41, 0x2b];
const text = { left: 0, top: 0, width: 1_000, height: 400 };

test("each record has a social image with its title, and other pages share the site's", async () => {
  await studio.posts.create.mutate({ title: 'A post', slug: 'post' });
  await studio.projects.create.mutate({ title: 'A project', slug: 'project' });
  await studio.courses.create.mutate({ title: 'A course', slug: 'course' });
  await studio.pages.create.mutate({ title: 'A page', slug: 'page' });
  const paths = ['/', '/posts/post', '/projects/project', '/courses/course', '/page'];
  const cards = await Promise.all(paths.map(cardOf));
  expect(new Set(cards).size).toBe(paths.length);
  for (const card of cards) {
    const png = await draw(card);
    expect(await sharp(png).metadata()).toMatchObject({ width: 1_200, height: 630, format: 'png' });
    expect(await shareOf(png, ink, text)).toBeGreaterThan(0.005);
  }
  expect([await cardOf('/talks'), await cardOf('/posts')]).toEqual([cards[0], cards[0]]);
});

test('a social image shows a new title or accent color in the next response', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Before', slug: 'changing' });
  const card = await cardOf('/posts/changing');
  const [before, again] = [await draw(card), await draw(card)];
  expect(again.equals(before)).toBe(true);
  await studio.posts.update.mutate({ id, title: 'And after' });
  const after = await draw(card);
  expect(after.equals(before)).toBe(false);
  const corner = { left: 1_080, top: 500, width: 120, height: 130 };
  expect(await shareOf(after, accent, corner)).toBeGreaterThan(0.9);
  await studio.site.update.mutate({ theme: { accent: '#1f5f8b' } });
  expect(await shareOf(await draw(card), accent, corner)).toBe(0);
  await studio.site.update.mutate({ theme: { accent: '#b3412b' } });
});

test('a title in a script that the fonts do not cover is omitted from the image, in every font', async () => {
  await studio.posts.create.mutate({ title: '日本語の記事', slug: 'far' });
  await studio.posts.create.mutate({ title: 'Żółć gęślą jaźń 🪿', slug: 'near' });
  for (const font of ['editorial', 'modern', 'bold', 'system'] as const) {
    await studio.site.update.mutate({ theme: { font } });
    const [far, near] = [await draw(await cardOf('/posts/far')), await draw(await cardOf('/posts/near'))];
    const drawn = [await shareOf(far, ink, text), await shareOf(near, ink, text)];
    expect([font, drawn[0], (drawn[1] ?? 0) > 0.005]).toEqual([font, 0, true]);
    expect(await shareOf(far, accent, { left: 500, top: 250, width: 200, height: 130 })).toBeGreaterThan(0.9);
  }
});

test('the longest title fits into its social image', async () => {
  const title = `${'Donaudampfschifffahrtsgesellschaft'.repeat(4)} ${'short words '.repeat(6)}`.slice(0, 200);
  await studio.posts.create.mutate({ title, slug: 'long' });
  const png = await draw(await cardOf('/posts/long'));
  for (const edge of [
    { left: 0, top: 0, width: 80, height: 630 },
    { left: 1_125, top: 0, width: 75, height: 400 },
  ])
    expect(await shareOf(png, ink, edge)).toBe(0);
});

test('a draft or unknown record has no social image', async () => {
  await studio.posts.create.mutate({ title: 'A draft', slug: 'draft', is_draft: true });
  for (const path of ['posts/draft', 'posts/none', 'pages/none', 'members/a'])
    expect((await fetch(`${app.baseUrl}/assets/cards/${path}.png`)).status).toBe(404);
});
