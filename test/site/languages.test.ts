import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { startBrowser } from '../support/browser.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
const browser = await startBrowser();
afterAll(async () => {
  await browser[Symbol.asyncDispose]();
  await app[Symbol.asyncDispose]();
});
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const key = await app.seed.key();
const visit = createVisitor(app.baseUrl);
for (const [language, word] of [
  ['ar', 'عنوان'],
  ['en', 'title'],
] as const)
  await recordsOf(app, 'posts', key).add({
    title: word,
    slug: `in-${language}`,
    content: `> ${word}\n\n- ${word}\n\n|${word}|\n|-|\n|${word}|\n\n\`\`\`\nconst a = 1;\n\`\`\``,
  });

/** In the browser: side of the main content at which an element's text begins. */
const sideOf = (selector: string) => `(() => {
  const range = document.createRange();
  range.selectNodeContents(document.querySelector('${selector}'));
  const text = range.getBoundingClientRect();
  const around = document.querySelector('main').getBoundingClientRect();
  return text.left - around.left < around.right - text.right ? 'left' : 'right';
})()`;

test.for(['ar', 'en'])('lists and images keep their distance from the text in %s', async (language) => {
  await recordsOf(app, 'posts', key).add({
    title: language,
    slug: `parts-${language}`,
    content: '## One\n\n## Two\n\n## Three',
  });
  const { theme } = await studio.site.get.query();
  await studio.site.update.mutate({ language, theme: { ...theme, look: 'plain' } });
  await studio.profile.update.mutate({ avatar_url: `${app.baseUrl}/favicon.svg` });
  const page = await browser.open({ javaScriptEnabled: true });
  const spaces = async (path: string, selector: string, property: 'margin' | 'padding') => {
    await page.goto(app.baseUrl + path);
    return page.evaluate<string>(
      `getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}-inline')`,
    );
  };
  expect(await spaces(`/posts/parts-${language}`, '.contents ol', 'padding')).toBe('20px 0px');
  expect(await spaces('/', '.face.hero', 'margin')).toBe('24px 0px');
  await studio.site.update.mutate({ theme });
  await studio.profile.update.mutate({ avatar_url: '' });
});

test('an Arabic post on an English site is right to left, the rest of its page left to right', async () => {
  await studio.site.update.mutate({ language: 'en' });
  await recordsOf(app, 'posts', key).add({
    title: 'الميناء',
    slug: 'harbour',
    excerpt: 'كل صباح.',
    content: 'TypeScript: كل صباح يبدأ الميناء بصوت الحبال.\n\n- قارب\n\n`code`\n',
    tags: ['boats'],
  });
  const page = await browser.open({ javaScriptEnabled: true });
  await page.goto(`${app.baseUrl}/posts/harbour`);
  const directionOf = (selector: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).direction`);
  for (const part of ['h1', '.lead', '.body ul'])
    expect([part, await directionOf(part)]).toEqual([part, 'rtl']);
  for (const part of ['.meta', '.after', 'footer'])
    expect([part, await directionOf(part)]).toEqual([part, 'ltr']);
});

test.for([
  ['ar', 'right'],
  ['en', 'left'],
])('lines of a site in %s begin at the %s, except lines of code', async ([language, side]) => {
  await studio.site.update.mutate({ language: language ?? '' });
  const page = await browser.open({ viewport: { width: 390, height: 800 }, javaScriptEnabled: true });
  await page.goto(`${app.baseUrl}/posts/in-${language}`);
  for (const selector of ['h1', '.prose blockquote p', '.prose li', '.prose td', '.top .name'])
    expect([selector, await page.evaluate(sideOf(selector))]).toEqual([selector, side]);
  expect(await page.evaluate(sideOf('.prose pre code'))).toBe('left');
  const style = (selector: string, property: string) =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).${property}`);
  const [to, from] = side === 'right' ? (['Right', 'Left'] as const) : (['Left', 'Right'] as const);
  expect(await style('.prose blockquote', `border${to}Width`)).toBe('3px');
  expect(await style('.prose blockquote', `border${from}Width`)).toBe('0px');
  expect(await style('.prose ul', `padding${from}`)).toBe('0px');
});

test.for([
  ['Chinese', '今天我们在公园里一起看书和写字。'],
  ['Japanese', '今日は友達と公園で本を読む。'],
  ['Thai', 'วันนี้เราไปเดินเล่นที่สวนกับเพื่อน'],
])('a text in %s gets a one-line description and a reading time', async ([title = '', sentence = '']) => {
  const slug = title.toLowerCase();
  const content = sentence.repeat(200);
  await recordsOf(app, 'posts', key).add({ title, slug, content });
  const { text } = await visit(`/posts/${slug}`);
  const [, description = ''] = /<meta name="description" content="([^"]*)">/.exec(text) ?? [];
  expect(description).toMatch(/…$/);
  expect(content.startsWith(description.slice(0, -1))).toBe(true);
  expect(description.length).toBeGreaterThan(100);
  expect(description.length).toBeLessThanOrEqual(161);
  expect(Number(/(\d+) min read/.exec(text)?.[1])).toBeGreaterThan(5);
});

test.for([
  [null, 'en', '149.50', '20'],
  ['EUR', 'en', '€149.50', '€20'],
  ['EUR', 'de', '149,50\u00a0€', '20\u00a0€'],
  ['JPY', 'en', '¥150', '¥20'],
  ['CHF', 'de-CH', 'CHF\u00a0149.50', 'CHF\u00a020'],
] as const)('prices in %s are formatted for %s', async ([currency, language, odd, round]) => {
  await studio.site.update.mutate({ currency, language });
  const courses = recordsOf(app, 'courses', key);
  const name = `${currency}-${language}`.toLowerCase();
  for (const [price, text] of [[149.5, odd] as const, [20, round] as const]) {
    const slug = `course-${price * 10}-${name}`;
    await courses.add({ title: 'A course', slug, price, access_tier: 'paid' });
    const page = await visit(`/courses/${slug}`);
    expect(page.text).toContain(`<bdi>${text}</bdi>`);
    const offer = { '@type': 'Offer', price: String(price), priceCurrency: currency, category: 'Paid' };
    const [, data = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(page.text) ?? [];
    expect(JSON.parse(data).offers).toEqual(
      currency ? { ...offer, url: expect.stringMatching(`/courses/${slug}$`) } : undefined,
    );
  }
});

test('Latin fonts are preloaded only on sites in a Latin script', async () => {
  const preloads = async (language: string) => {
    await studio.site.update.mutate({ language });
    const { text } = await visit('/');
    return [...text.matchAll(/<link rel="preload" href="([^"]+)" as="font"/g)].map(([, path = '']) => path);
  };
  expect(await preloads('ar')).toEqual([]);
  const paths = await preloads('pt-BR');
  expect(paths).toHaveLength(2);
  for (const path of paths) expect((await fetch(app.baseUrl + path)).status).toBe(200);
});
