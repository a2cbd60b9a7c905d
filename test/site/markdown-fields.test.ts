import { afterAll, expect, test } from 'vitest';
import { profileFields } from '../../shared/contract/features/profile.ts';
import type { Fields } from '../../shared/contract/fields.ts';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const visit = createVisitor(app.baseUrl);

const written = `It was *${'good'}*,\nwith snake_case.

# A heading

- one
- two

A note[^1].

[^1]: At the end`;

await studio.profile.update.mutate({ summary: written });
const written_ = { description: written };
await recordsOf(app, 'projects', key).add({ title: 'A project', slug: 'a', ...written_ });
const courses = recordsOf(app, 'courses', key);
await courses.add({
  title: 'A course',
  slug: 'a',
  instructor_name: 'Ada',
  instructor_bio: 'One\nTwo',
  ...written_,
});
for (const title of ['A talk', 'Another talk'])
  await recordsOf(app, 'talks', key).add({ title, date: '2026-05', ...written_ });
for (const title of ['A job', 'Another job'])
  await recordsOf(app, 'experience', key).add({ title, company: 'Northwind', ...written_ });
await recordsOf(app, 'education', key).add({ institution: 'A school', ...written_ });
await recordsOf(app, 'posts', key).add({ title: 'A post', slug: 'a', excerpt: 'One\nTwo', content: written });
await studio.pages.create.mutate({ title: 'A page', slug: 'a', content: written });

/** Page on which each Markdown field is shown completely, and the level of its first heading there. */
const positions: Record<string, [path: string, level: number]> = {
  'profile.summary': ['/', 2],
  'posts.content': ['/posts/a', 2],
  'pages.content': ['/a', 2],
  'projects.description': ['/projects/a', 2],
  'courses.description': ['/courses/a', 3],
  'talks.description': ['/talks', 3],
  'experience.description': ['/cv', 4],
  'education.description': ['/cv', 4],
};

const inMarkdown = (of: string, fields: Fields) =>
  Object.entries(fields).flatMap(([name, { kind }]) => (kind === 'markdown' ? [`${of}.${name}`] : []));

test('every Markdown field of a record with pages is shown completely on one of them', () => {
  const declared = Object.entries(resources).flatMap(([name, { fields }]) => inMarkdown(name, fields));
  expect([...inMarkdown('profile', profileFields), ...declared].toSorted()).toEqual(
    Object.keys(positions).toSorted(),
  );
});

test.for(Object.entries(positions))('%s is rendered from Markdown to HTML', async ([, [path, level]]) => {
  const { status, text } = await visit(path);
  expect(status).toBe(200);
  expect(text).toContain('<p>It was <em>good</em>,\nwith snake_case.</p>');
  expect(text).toContain('<ul>\n<li>one</li>\n<li>two</li>\n</ul>');
  expect(text).toMatch(
    new RegExp(`<h${level} id="(\\w+-)?h-a-heading">A heading( <a class="anchor"[^>]*>#</a>)?</h${level}>`),
  );
});

test.for(['/', '/talks', '/cv'])('IDs of all bodies on %s are unique', async (path) => {
  const { text } = await visit(path);
  const ids = [...text.matchAll(/<[^>]* id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.filter((id) => id?.includes('footnote')).length).toBeGreaterThan(0);
  expect(new Set(ids).size).toBe(ids.length);
  const targets = [...text.matchAll(/ href="#([^"]*)"/g)].map(([, id]) => id);
  expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
});

test('the description of a field is its first paragraph without markup', async () => {
  const line = 'It was good, with snake_case.';
  const home = (await visit('/')).text;
  expect(home).toContain(`<meta name="description" content="${line}">`);
  expect(home).toContain(`<meta property="og:description" content="${line}">`);
  expect(home).toContain(`<p class="about">${line}</p>`);
  const structured: [path: string, type: string][] = [
    ['/', 'Person'],
    ['/projects/a', 'CreativeWork'],
    ['/courses/a', 'Course'],
    ['/talks', 'Event'],
  ];
  for (const [path, type] of structured) {
    const { text } = await visit(path);
    const [, json = ''] =
      new RegExp(`(\\{"@context":"[^"]*","@type":"${type}".*?)</script>`).exec(text) ?? [];
    expect(json).toContain(`"description":"${line}"`);
  }
  expect((await visit('/llms.txt')).text).toContain(`${line}\n\none · two\n\nA note.\n`);
});

test('long plain texts keep their line breaks', async () => {
  expect((await visit('/courses/a')).text).toContain('<p>One<br>Two</p>');
  expect((await visit('/posts/a')).text).toContain('<p class="lead">One<br>Two</p>');
  await visit('/testimonials', {
    form: { name: 'Lin', email: 'lin@example.com', content: 'Three\nFour\n\nFive' },
  });
  await app.deps.database.em.execute('update testimonials set approved = true');
  expect((await visit('/testimonials')).text).toContain('<p>Three<br>Four</p><p>Five</p>');
});
