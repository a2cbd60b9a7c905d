import { expect, test } from 'vitest';
import { resources } from '../../shared/contract/resources/index.ts';
import { startApp } from '../support/app.ts';
import { addRecords, type RecordValues, repeatText } from '../support/attacks/attacker.ts';
import { recordsOf } from '../support/content.ts';
import { createVisitor } from '../support/visitor.ts';

// Pages of sites with more records than one page shows.

async function startSite() {
  const app = await startApp();
  const siteId = await app.seed.ownSite();
  const visit = createVisitor(app.baseUrl);
  const add = ({ collection, ...values }: RecordValues & { collection: keyof typeof resources }) =>
    addRecords({ deps: app.deps, siteId }, resources[collection], { is_draft: false, ...values });
  const find = async (path: string, pattern: RegExp) => {
    const { status, text } = await visit(path);
    expect([path, status]).toEqual([path, 200]);
    return [...text.matchAll(pattern)].map(([, found = '']) => found);
  };
  return { ...app, siteId, visit, add, find };
}

test('the pages of projects, courses and talks together contain every record once', async () => {
  await using app = await startSite();
  for (const collection of ['projects', 'courses', 'talks'] as const) {
    await app.add({ collection, count: 250, title: 'Something' });
    await app.deps.database.em.execute(`update ${collection} set title = 'Number ' || id`);
    const numbers: string[] = [];
    const next: string[] = [];
    for (const page of [1, 2, 3]) {
      const path = `/${collection}?page=${page}`;
      numbers.push(...(await app.find(path, /<h2 class="title">(?:<a [^>]*>)?Number (\d+)/g)));
      next.push(...(await app.find(path, /<a href="([^"]*)" rel="next"/g)));
    }
    expect(numbers.map(Number)).toEqual(Array.from({ length: 250 }, (_, at) => 250 - at));
    expect(next).toEqual([2, 3].map((page) => `/${collection}?page=${page}`));
    expect((await app.visit(`/${collection}?page=4`)).status).toBe(404);
  }
});

test('the pages of a CV together contain every entry once, each with its own canonical URL', async () => {
  await using app = await startSite();
  await app.add({ collection: 'experience', count: 150, company: 'Northwind', title: 'A role' });
  await app.add({ collection: 'education', count: 20, institution: 'A school' });
  await app.add({ collection: 'certifications', count: 201, name: 'A certificate' });
  await app.add({ collection: 'skills', count: 1_200, name: 'Skilled', category: 'Some' });
  const counts = [];
  for (const page of [1, 2, 3]) {
    const all = await app.find(`/cv?page=${page}`, /(A role|A school|A certificate|Skilled)/g);
    counts.push(
      ['A role', 'A school', 'A certificate', 'Skilled'].map(
        (name) => all.filter((one) => one === name).length,
      ),
    );
    const [canonical] = await app.find(`/cv?page=${page}`, /rel="canonical" href="[^"]*(\/cv[^"]*)"/g);
    expect(canonical).toBe(page === 1 ? '/cv' : `/cv?page=${page}`);
  }
  expect(counts).toEqual([
    [100, 20, 100, 1_000],
    [50, 0, 100, 200],
    [0, 0, 1, 0],
  ]);
  expect((await app.visit('/cv?page=4')).status).toBe(404);
});

test('a page of long texts shows the first ones completely, and excerpts of the others', async () => {
  await using app = await startSite();
  const bullets = Array.from({ length: 100 }, (_, at) => repeatText(`Bullet ${at} `, 200));
  const long = { description: `Begins *here*.\n\n${repeatText('And so on.\n\n', 49_000)}Ends here.` };
  await app.add({
    collection: 'experience',
    count: 100,
    company: 'Northwind',
    title: 'A role',
    bullets,
    ...long,
  });
  await app.add({ collection: 'talks', count: 100, title: 'Something', ...long });
  for (const path of ['/cv', '/talks']) {
    expect(await app.find(path, /(Begins <em>here)/g)).toHaveLength(2);
    expect(await app.find(path, /(Ends here)/g)).toHaveLength(2);
    expect(await app.find(path, /(<p class="about">Begins here\.<\/p>)/g)).toHaveLength(98);
  }
  expect(await app.find('/cv', /(<li>Bullet)/g)).toHaveLength(5 * 100 + 95 * 5);
});

test('a feed of very long posts contains the bodies of the newest, and excerpts of the others', async () => {
  await using app = await startSite();
  const posts = recordsOf(app, 'posts', await app.seed.key({ siteId: app.siteId }));
  for (const n of [1, 2, 3, 4]) {
    const content = `Begins ${n}.\n\n${repeatText('And so on.\n\n', 400_000)}Ends ${n}.`;
    await posts.add({ title: `Post ${n}`, content, ...(n === 2 && { excerpt: 'About two' }) });
    app.clock.advance({ days: 1 });
  }
  const endings = /(Ends \d)/g;
  expect(await app.find('/feed.xml', endings)).toEqual(['Ends 4', 'Ends 3']);
  expect(await app.find('/feed.json', endings)).toEqual(['Ends 4', 'Ends 3']);
  expect(await app.find('/feed.xml', /<summary>([^<]*)/g)).toEqual(['About two', 'Begins 1.']);
  expect(await app.find('/feed.json', /"content_text":"([^"]*)"/g)).toEqual(['About two', 'Begins 1.']);
});
