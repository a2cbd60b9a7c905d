import { afterAll, expect, test } from 'vitest';
import { fillWithExample } from '../../server/demo/fill.ts';
import { eventNames } from '../../shared/contract/events.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

// The example site that a first start creates: every endpoint and screen has data to show.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const siteId = await app.seed.ownSite();
await fillWithExample(app.deps, siteId);
const key = await app.seed.key({ scopes: scopeNames });
const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());

const read = async (path: string) => {
  const { status, body } = await app.get(path, { key });
  expect([path, status]).toEqual([path, 200]);
  return body as Record<string, unknown[]>;
};

test.each(eventNames)('%s events of the example site can be polled', async (event) => {
  expect((await read(`/api/v1/webhooks/poll/${event}`)).events).not.toEqual([]);
});

test.each(['posts', 'projects', 'courses', 'talks', 'members'])(
  'the example site has at least two %s',
  async (collection) => {
    expect((await read(`/api/v2/${collection}`)).items?.length).toBeGreaterThan(1);
  },
);

test('members of the example site have every status and every access tier', async () => {
  const { items } = await studio.members.list.query();
  expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['active', 'blocked']));
  expect(new Set(items.flatMap(({ access_tiers }) => access_tiers))).toEqual(new Set(['paid', 'members']));
  for (const { last_seen_at, created } of items) expect(last_seen_at).toEqual(created);
});

test('every public course of the example site has modules, each with lessons', async () => {
  const { items = [] } = await read('/api/v2/courses');
  for (const { id } of items as { id: string }[]) {
    const { modules = [] } = await read(`/api/v2/courses/${id}/curriculum`);
    expect((modules as { lessons: object[] }[]).map(({ lessons }) => lessons.length)).not.toContain(0);
    expect(modules).not.toEqual([]);
  }
});

test('the example site has page views on each of the last 90 days; its pages, referrers and campaigns are listed', async () => {
  const answer = await read('/api/v2/analytics?period=90d');
  const days = answer.views_over_time as { views: number; visitors: number }[];
  expect(days.filter(({ views, visitors }) => views < 10 || visitors < 5)).toEqual([]);
  for (const list of [answer.popular_pages, answer.top_referrers, answer.utm])
    expect(list?.length).toBeGreaterThan(1);
});

test('the studio of the example site lists subscribers, testimonials and one sent newsletter with accepted recipients', async () => {
  const { items } = await studio.mailings.list.query({});
  expect(items.map(({ status, counts }) => [status, counts.accepted])).toEqual([['sent', 2]]);
  expect((await studio.subscribers.list.query()).total).toBeGreaterThan(2);
  expect((await studio.testimonials.list.query()).total).toBeGreaterThan(1);
});

test('no date of a record of the example site is in the future, and none was updated before it was created', async () => {
  const now = app.clock.now();
  for (const collection of ['posts', 'projects', 'courses', 'talks', 'pages'] as const)
    for (const { created, updated } of (await studio[collection].list.query()).items)
      expect([created <= updated, updated <= now]).toEqual([true, true]);
});
