import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { recordStatements } from '../support/statements/record.ts';
import { createVisitor } from '../support/visitor.ts';

// Database queries of a page that is not cached.

const tables: string[] = [];
const recorded = recordStatements((text) => tables.push(...tableOf(text)));
const app = await startApp();
afterAll(async () => {
  recorded[Symbol.dispose]();
  await app[Symbol.asyncDispose]();
});

const key = await app.seed.key({ scopes: ['read', 'write'] });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const posts = recordsOf(app, 'posts', key);
const visit = createVisitor(app.baseUrl);

function tableOf(text: string): string[] {
  return (
    /\bfrom "?(sites|profiles|pages|posts|talks|experience|education|media)\b/.exec(text)?.slice(1) ?? []
  );
}

/** Tables that a page queried, and its text. */
async function askedFor(path: string) {
  tables.length = 0;
  const { status, text } = await visit(path);
  expect(status).toBe(200);
  return { asked: [...tables], text };
}

/** Queries of a post's page apart from the post itself: its neighbors and related posts. No other page shares them. */
const around = ['posts', 'posts'];

test('a page queries only its site and data that has changed since another page read it', async () => {
  const ids: string[] = [];
  for (const slug of ['one', 'two', 'three']) ids.push(await posts.add({ title: `Post ${slug}`, slug }));
  const [first = ''] = ids;
  expect((await askedFor('/posts/one')).asked.sort()).toEqual([
    'pages',
    ...around,
    'posts',
    'profiles',
    'sites',
  ]);
  expect((await askedFor('/posts/two')).asked.sort()).toEqual([...around, 'posts', 'sites']);
  expect((await askedFor('/posts/two')).asked).toEqual(['sites']);

  expect((await app.patch(`/api/v1/posts/${first}`, { key, body: { title: 'Changed' } })).status).toBe(200);
  expect((await askedFor('/posts/two')).asked.sort()).toEqual([...around, 'posts', 'sites']);
  expect((await askedFor('/posts/three')).asked.sort()).toEqual([...around, 'posts', 'sites']);

  await studio.pages.create.mutate({ title: 'Imprint', content: 'Me.' });
  const { asked: requested, text } = await askedFor('/posts/three');
  expect(requested.sort()).toEqual(['pages', ...around, 'posts', 'sites']);
  expect(text).toContain('href="/imprint"');

  await studio.profile.update.mutate({ location: 'Lisbon' });
  const later = await askedFor('/posts/three');
  expect(later.asked.sort()).toEqual([...around, 'posts', 'profiles', 'sites']);
  expect(later.text).toContain('Lisbon');
});

test.for([
  ['talks', '/talks', { title: 'A talk' }],
  ['experience', '/cv', { title: 'A job', company: 'Northwind' }],
] as const)(
  'a page with images in many of its %s reads all of them in one query',
  async ([name, path, min]) => {
    const records = recordsOf(app, name, key);
    const add = (index: number) =>
      records.add({
        ...min,
        description: `![a](/media/mb3k9x2a7f0q1${String(index).padStart(2, '0')}/a.png)`,
      });
    await add(0);
    await askedFor(path);
    await add(1);
    const withFew = (await askedFor(path)).asked;
    expect(withFew).toContain('media');
    for (let index = 2; index < 10; index++) await add(index);
    expect((await askedFor(path)).asked.sort()).toEqual(withFew.sort());
  },
);
