import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const visit = createVisitor(app.baseUrl);

/**
 * Longest valid description, which begins with a given sentence. It has few paragraphs, so that it is rendered within its
 * CPU time on any machine.
 */
const longest = (name: string) => `This is *${name}*.\n\nAnd so on.\n\n`.padEnd(50_000, 'word ');

const endings = (text: string) => [...text.matchAll(/<p>And so on\.<\/p>/g)].length > 0;

test('a page of talks shows 100,000 characters of descriptions, and excerpts of the others', async () => {
  for (const [sort_order, name] of ['first', 'second', 'third', 'fourth'].entries())
    await recordsOf(app, 'talks', key).add({ title: `Talk ${name}`, sort_order, description: longest(name) });
  const { text } = await visit('/talks');
  const rows = text.split('<article').slice(1);
  expect(rows.map(endings)).toEqual([true, true, false, false]);
  for (const [index, name] of ['first', 'second'].entries())
    expect(rows[index]).toContain(`<div class="about prose"><p>This is <em>${name}</em>.</p>`);
  for (const [index, name] of ['third', 'fourth'].entries())
    expect(rows[index + 2]).toContain(`<p class="about">This is ${name}.</p>`);
});

test('a CV shows 100,000 characters of descriptions, and excerpts of the others', async () => {
  for (const [sort_order, title] of ['A', 'B'].entries())
    await recordsOf(app, 'experience', key).add({
      title,
      company: 'Northwind',
      sort_order,
      description: longest(title),
    });
  await recordsOf(app, 'education', key).add({ institution: 'C', description: longest('C') });
  const { text } = await visit('/cv');
  const entries = text.split('<article').slice(1);
  expect(entries.map(endings)).toEqual([true, true, false]);
  expect(entries[2]).toContain('<p class="about">This is C.</p>');
});

test('llms.txt contains the beginning of a long summary, with an ellipsis', async () => {
  await studio.profile.update.mutate({ summary: longest('me') });
  const { text } = await visit('/llms.txt');
  expect(text).toContain('This is me.\n\nAnd so on.\n\n');
  expect(text.length).toBeLessThan(10_000);
  expect(text).toMatch(/ …\n/);
});
