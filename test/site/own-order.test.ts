import { afterAll, expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { recordsOf } from '../support/content.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const key = await app.seed.key();
const visit = createVisitor(app.baseUrl);

/** Titles of records in the order of a page. */
const titlesOn = async (path: string, mark: string, from = visit) =>
  [...(await from(path)).text.matchAll(/<h[23][^>]*>(?:<a [^>]*>)?([^<]+)/g)].flatMap(([, title = '']) =>
    title.startsWith(mark) ? [title.slice(mark.length)] : [],
  );

test("talks are in their owner's order, then latest date first, then newest first", async () => {
  const talks = recordsOf(app, 'talks', key);
  const written = [
    { title: 'last', sort_order: 9, date: '2026-12-01' },
    { title: 'second', sort_order: -1, date: '2020' },
    { title: 'fifth', date: '2025-10' },
    { title: 'fourth', date: '2025-11-30' },
    { title: 'third', date: '2026' },
    { title: 'eighth' },
    { title: 'seventh' },
    { title: 'sixth', date: '2024' },
    { title: 'first', sort_order: -2 },
  ];
  for (const { title, ...talk } of written) {
    await talks.add({ title: `Talk ${title}`, ...talk });
    app.clock.advance({ seconds: 1 });
  }
  const order = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'last'];
  expect(await titlesOn('/talks', 'Talk ')).toEqual(order);
  expect(await titlesOn('/', 'Talk ')).toEqual(order.slice(0, 3));
});

test('courses are sorted by position, 0 by default, and those with equal positions newest first', async () => {
  const courses = recordsOf(app, 'courses', key);
  const written = [
    { title: 'first', sort_order: -1 },
    { title: 'fourth' },
    { title: 'third' },
    { title: 'second' },
    { title: 'last', sort_order: 1 },
  ];
  for (const { title, ...course } of written) {
    await courses.add({ title: `Course ${title}`, ...course });
    app.clock.advance({ seconds: 1 });
  }
  const order = ['first', 'second', 'third', 'fourth', 'last'];
  expect(await titlesOn('/courses', 'Course ')).toEqual(order);
  expect(await titlesOn('/', 'Course ')).toEqual(order.slice(0, 3));
});

test("the first of many courses is the owner's first, however old it is", async () => {
  await using many = await startApp();
  const courses = recordsOf(many, 'courses', await many.seed.key());
  const visitMany = createVisitor(many.baseUrl);
  for (let index = 0; index <= 100; index++) {
    await courses.add({ title: `Course ${index}`, sort_order: index === 0 ? 0 : 1 });
    many.clock.advance({ seconds: 1 });
  }
  const titles = await titlesOn('/courses', 'Course ', visitMany);
  expect(titles).toHaveLength(100);
  expect(titles.slice(0, 3)).toEqual(['0', '100', '99']);
  expect(await titlesOn('/', 'Course ', visitMany)).toEqual(['0', '100', '99']);
});

test('numbers of hours have the correct plural form', async () => {
  const courses = recordsOf(app, 'courses', key);
  for (const hours of [0.5, 1, 2])
    await courses.add({ title: 'Counted', estimated_hours: hours, sort_order: 10 * hours });
  const { text } = await visit('/courses');
  expect(text.match(/[\d.]+ hours?\b/g)).toEqual(['0.5 hours', '1 hour', '2 hours']);
});
