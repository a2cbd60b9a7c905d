import { afterAll, beforeEach, expect, test } from 'vitest';
import { importFile } from '../../server/transfer/import-file.ts';
import { startApp } from '../support/app.ts';
import { folderOf } from '../support/archives.ts';
import { recordsOf } from '../support/content.ts';
import { actor, titled } from '../support/imported-states.ts';
import { ownerClient } from '../support/rpc.ts';
import { createVisitor } from '../support/visitor.ts';

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
const key = await app.seed.key();
const visit = createVisitor(app.baseUrl);
const show = async (path: string) => (await visit(path)).text;

/** Dates that a page shows, without machine-readable ones. */
const datesOn = (text: string) =>
  [...text.matchAll(/<time datetime="[^"]*">([^<]*)<\/time>/g)].map(([, date]) => date);

/** Date of a post, above its title. */
const dateOf = async (slug: string) => datesOn(await show(`/posts/${slug}`))[0];

beforeEach(() => studio.site.update.mutate({ language: 'en', time_zone: 'UTC' }));

await recordsOf(app, 'posts', key).add({
  title: 'Late in July',
  slug: 'late-in-july',
  tags: ['boats'],
  // In Jekyll's form: 2026-07-12 23:30:00 -0300.
  published_at: '2026-07-13T02:30:00Z',
});

test("dates on pages and in lists are in the site's time zone, in the next response after a change", async () => {
  const pages = ['/posts/late-in-july', '/posts', '/', '/tags/boats'];
  const days = [
    ['UTC', 'July 13, 2026'],
    ['America/Sao_Paulo', 'July 12, 2026'],
    ['Asia/Kolkata', 'July 13, 2026'],
    ['Pacific/Pago_Pago', 'July 12, 2026'],
    ['Pacific/Kiritimati', 'July 13, 2026'],
    ['UTC', 'July 13, 2026'],
  ] as const;
  for (const [time_zone, day] of days) {
    await studio.site.update.mutate({ time_zone });
    for (const page of pages) {
      // Twice, because the second response comes from memory.
      for (const _ of [1, 2])
        expect([time_zone, page, datesOn(await show(page))]).toEqual([time_zone, page, [day]]);
    }
  }
});

test("a year begins in the site's time zone, with and without daylight saving time", async () => {
  const posts = recordsOf(app, 'posts', key);
  const timestamps = [
    ['new-year', '2026-01-01T04:59:00Z', 'December 31, 2025'],
    ['new-year-after', '2026-01-01T05:00:00Z', 'January 1, 2026'],
    ['summer', '2026-07-01T03:59:00Z', 'June 30, 2026'],
    ['summer-after', '2026-07-01T04:00:00Z', 'July 1, 2026'],
  ] as const;
  for (const [slug, published_at] of timestamps) await posts.add({ title: slug, slug, published_at });
  await studio.site.update.mutate({ time_zone: 'America/New_York' });
  for (const [slug, , day] of timestamps) expect([slug, await dateOf(slug)]).toEqual([slug, day]);
});

test("dates in each language are in the site's time zone", async () => {
  const shown = [
    ['de', '12. Juli 2026'],
    ['ja', '2026年7月12日'],
    ['pt-BR', '12 de julho de 2026'],
    ['ar-EG', '١٢ يوليو ٢٠٢٦'],
    ['en', 'July 12, 2026'],
  ] as const;
  for (const [language, day] of shown) {
    await studio.site.update.mutate({ language, time_zone: 'America/Sao_Paulo' });
    expect(await dateOf('late-in-july')).toBe(day);
  }
});

test('dates without a time do not depend on the time zone', async () => {
  await recordsOf(app, 'talks', key).add({ title: 'A talk', date: '2026-07-12' });
  await recordsOf(app, 'talks', key).add({ title: 'A year', date: '2024' });
  await recordsOf(app, 'talks', key).add({ title: 'A month', date: '2025-01' });
  await recordsOf(app, 'experience', key).add({
    company: 'Northwind',
    title: 'Engineer',
    start_date: '2021-01-01',
    end_date: '2022-01',
  });
  await recordsOf(app, 'certifications', key).add({
    name: 'Sailing',
    issue_date: '2020-03-01',
    expiry_date: '2030-01-01',
  });
  for (const time_zone of ['UTC', 'Pacific/Pago_Pago', 'Pacific/Kiritimati', 'America/Sao_Paulo']) {
    await studio.site.update.mutate({ time_zone });
    expect(datesOn(await show('/talks')).toSorted()).toEqual(['2024', 'Jan 2025', 'Jul 12, 2026']);
    const cv = await show('/cv');
    for (const span of ['Jan 1, 2021 – Jan 2022', 'Mar 1, 2020', 'valid until Jan 1, 2030'])
      expect(cv).toContain(span);
  }
});

test('feeds, structured data, sitemap, metadata and API are in UTC', async () => {
  const read = async () => {
    const page = await show('/posts/late-in-july');
    const api = await app.get('/api/v1/posts/late-in-july', { key });
    const v2 = await app.get('/api/v2/posts?fields=title,published_at&q=July', { key });
    return {
      atom: (await show('/feed.xml')).match(/<(published|updated)>[^<]*/g),
      json: (await show('/feed.json')).match(/"date_\w+":"[^"]*"/g),
      sitemap: (await show('/sitemap.xml')).match(/<lastmod>[^<]*/g),
      times: page.match(/(datetime|content)="\d{4}-[^"]*"/g),
      data: page.match(/"date(Published|Modified)":"[^"]*"/g),
      api: api.body,
      v2: v2.body,
    };
  };
  const inUtc = await read();
  expect(inUtc.data).toContain('"datePublished":"2026-07-13T02:30:00.000Z"');
  expect(inUtc.atom).toContain('<published>2026-07-13T02:30:00.000Z');
  expect(inUtc.json).toContain('"date_published":"2026-07-13T02:30:00.000Z"');
  expect(inUtc.times).toContain('datetime="2026-07-13T02:30:00.000Z"');
  expect(inUtc.api).toMatchObject({ published_at: '2026-07-13 02:30:00.000Z' });
  for (const part of Object.values(inUtc)) expect(part).toBeTruthy();
  await studio.site.update.mutate({ time_zone: 'America/Sao_Paulo' });
  expect(await read()).toEqual(inUtc);
});

test.for([
  ['Jekyll', '_config.yml', 'timezone: America/Sao_Paulo\n', '_posts/'],
  ['Hugo', 'hugo.toml', 'baseURL = "/"\ntimeZone = "America/Sao_Paulo"\n', 'content/'],
] as const)(
  'an import from %s reports the time zone, and its days are correct before and after the owner sets it',
  async ([generator, settings, text, folder]) => {
    const file = (name: string) => `${folder}2024-07-12-${generator.toLowerCase()}-${name}.md`;
    const named = (name: string) => `${generator} ${name}`;
    const source = await folderOf({
      [settings]: text,
      [file('day')]: titled(named('day'), 'date: 2024-07-12'),
      [file('evening')]: titled(named('evening'), 'date: 2024-07-12 23:30:00 -0300'),
    });
    const reasons = new Map<string, string | null>();
    await importFile(app.deps, source, {
      ...{ siteId: await app.seed.ownSite(), actor },
      onRecord: ({ title, reason }) => void reasons.set(title, reason),
    });
    expect(reasons.get(settings)).toContain('America/Sao_Paulo');
    expect(await studio.site.get.query()).toMatchObject({ time_zone: 'UTC' });
    const { items } = await studio.posts.list.query({ q: generator, fields: ['title', 'slug'] });
    const dates = async () =>
      Object.fromEntries(
        await Promise.all(items.map(async ({ title, slug }) => [title, await dateOf(slug)])),
      );
    expect(await dates()).toEqual({ [named('day')]: 'July 12, 2024', [named('evening')]: 'July 13, 2024' });
    for (const time_zone of ['America/Sao_Paulo', 'Pacific/Honolulu']) {
      await studio.site.update.mutate({ time_zone });
      expect(await dates()).toEqual({ [named('day')]: 'July 12, 2024', [named('evening')]: 'July 12, 2024' });
    }
    await studio.site.update.mutate({ time_zone: 'Pacific/Auckland' });
    expect(await dates()).toMatchObject({ [named('day')]: 'July 12, 2024' });
  },
);

test('an unknown time zone from a newer server shows dates in UTC', async () => {
  await app.deps.database.em.execute(`update sites set time_zone = 'Mars/Olympus_Mons'`);
  expect(await dateOf('late-in-july')).toBe('July 13, 2026');
});
