import { afterAll, beforeAll, expect, test } from 'vitest';
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
const key = await app.seed.key();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

/** Word without a blank, hyphen or full stop at which it could break. */
const word = 'Donaudampfschifffahrtsgesellschaft'.repeat(6).slice(0, 200);
const short = word.slice(0, 50);
const wide = `| ${word} | ${short} |\n|-|-|\n| a | b |`;
const body = [
  word,
  `# ${word}`,
  `> ${word}`,
  `- ${word}`,
  `\`${word}\``,
  `\`\`\`\n${word}\n\`\`\``,
  wide,
  '<video src="https://a.example/b.mp4" width="1280" height="720"></video>',
].join('\n\n');
const content = `${body}\n\n[${word}](https://a.example/${word}) ![${word}](https://a.example/b.png) a[^1]\n\n[^1]: ${word}`;

const paths = [
  ...['/', '/posts', `/posts?q=${word}`, '/posts/a', '/posts/closed', `/tags/${word}`, '/a', '/nothing'],
  ...['/projects', '/projects/a', '/courses', '/courses/a', '/talks', '/cv'],
  ...['/testimonials', '/newsletter', '/sign-in', '/account'],
];

beforeAll(async () => {
  await studio.site.update.mutate({ name: word });
  await studio.profile.update.mutate({
    name: word,
    headline: word,
    summary: content,
    location: word,
    email: `${short}@example.com`,
    avatar_url: 'https://a.example/b.png',
    website: `https://${short}.example/${word}`,
    cta_enabled: true,
    cta_text: word,
    cta_url: 'https://a.example',
  });
  const add = (collection: string, values: object) =>
    recordsOf(app, collection, key).add({ title: word, ...values });
  const texts = { description: content, tags: [word, short] };
  for (const slug of ['a', 'b', 'c'])
    await add('posts', { slug, excerpt: word, content, tags: [word, short], featured: slug === 'a' });
  await add('posts', { slug: 'closed', excerpt: word, access_tier: 'paid' });
  await add('projects', {
    slug: 'a',
    status: short,
    tech_stack: [word, short],
    url: 'https://a.example',
    ...texts,
  });
  const { id } = await studio.courses.create.mutate({
    title: word,
    slug: 'a',
    difficulty: short,
    instructor_name: word,
    instructor_bio: word,
    learning_outcomes: [word],
    ...texts,
  });
  const { id: module_id } = await studio.modules.create.mutate({ course_id: id, title: word });
  await studio.lessons.create.mutate({ module_id, title: word });
  const event = { event: word, event_url: 'https://a.example', date: '2026-05', location: word };
  await add('talks', { ...event, description: content, slides_url: 'https://a.example' });
  const span = { start_date: '2019-02-11', end_date: '2024-08-30' };
  const work = { company: word, location: word, bullets: [word], skills: [word, short], ...span };
  await add('experience', { ...work, description: content });
  await recordsOf(app, 'education', key).add({
    institution: word,
    degree: word,
    field: word,
    description: content,
    ...span,
  });
  await recordsOf(app, 'skills', key).add({ name: word.slice(0, 100), category: short, proficiency: short });
  await recordsOf(app, 'certifications', key).add({
    name: word,
    issuer: word,
    credential_id: short,
    issue_date: '2024-08-30',
  });
  for (const n of [1, 2])
    await studio.pages.create.mutate({ title: word, slug: n === 1 ? 'a' : 'b', content });
  const form = {
    name: word,
    email: 'lin@example.com',
    role: word,
    company: word,
    content: `${word}\n\n${word}`,
  };
  await createVisitor(app.baseUrl)('/testimonials', { form });
  await app.deps.database.em.execute('update testimonials set approved = true');
});

test.for([
  ['en', 390],
  ['en', 320],
  ['ar', 390],
  ['en', 1280],
] as const)('a long word makes no page scroll sideways, in %s at %i pixels', async ([language, width]) => {
  await studio.site.update.mutate({ language });
  const page = await browser.open({ viewport: { width, height: 800 }, javaScriptEnabled: true });
  const wider: [string, number][] = [];
  for (const path of paths) {
    await page.goto(app.baseUrl + path);
    const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (overflow !== 0) wider.push([path.slice(0, 20), overflow]);
  }
  expect(wider).toEqual([]);
});

test('wide tables and lines of code scroll in their frames instead of being squeezed', async () => {
  const page = await browser.open({ viewport: { width: 390, height: 800 }, javaScriptEnabled: true });
  for (const path of ['/posts/a', '/talks', '/cv', '/']) {
    await page.goto(app.baseUrl + path);
    for (const selector of ['.prose pre', '.prose .frame']) {
      const scrolls = await page.evaluate<boolean>(
        `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 100)(document.querySelector('${selector}'))`,
      );
      expect([path, selector, scrolls]).toEqual([path, selector, true]);
    }
  }
});
