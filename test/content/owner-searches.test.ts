import { expect, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';

// Searches of owners run one at a time per site, so that one site cannot occupy all database connections.

async function startSite() {
  const app = await startApp();
  const token = await app.seed.ownerToken();
  const { studio, admin } = ownerClient(app.baseUrl, token);
  const { site } = await admin.session.get.query();
  const { database } = app.deps;
  return {
    ...app,
    studio,
    siteId: site.id,
    /** Occupies the site's quota until the returned function is called. */
    async hold(share: 'searches' | 'ownLists'): Promise<() => void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      await new Promise<void>((held) => {
        void database.quotas[share](site.id, () => {
          held();
          return promise;
        });
      });
      return resolve;
    },
    /** Adds `count` subscribers to the site. */
    subscribers: (count: number) =>
      database.em.execute(
        `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
         select '${site.id}', lpad(n::text, 15, '0'), n || '@example.com', '', '', 'active', 0, now() from generate_series(1, ${count}) n`,
      ),
  };
}

const q = 'zzz';

test("an owner's search waits for another search of the site, while unfiltered lists do not wait", async () => {
  await using app = await startSite();
  const { studio } = app;
  const release = await app.hold('searches');
  const searches = [
    studio.subscribers.list.query({ q }),
    studio.purchases.list.query({ q }),
    studio.enrollments.list.query({ completed: true }),
    studio.testimonials.list.query({ approved: true }),
    studio.members.list.query({ q }),
    studio.redirects.list.query({ q }),
    studio.trash.list.query({ collection: 'posts' }),
    studio.posts.list.query({ status: 'draft' }),
    studio.audit.list.query({ action: ['admin.session.login'] }),
    studio.subscribers.list.query({ page: 1_000 }),
    studio.posts.list.query({ page: 1_000 }),
  ];
  const ended = searches.map((search, index) => search.then(() => index));
  const lists = [
    studio.subscribers.list.query(),
    studio.purchases.list.query(),
    studio.enrollments.list.query(),
    studio.testimonials.list.query(),
    studio.members.list.query(),
    studio.redirects.list.query(),
    studio.trash.list.query(),
    studio.posts.list.query(),
    studio.audit.list.query(),
  ];
  expect(await Promise.race([Promise.all(lists).then(() => 'the lists'), ...ended])).toBe('the lists');
  release();
  expect(await Promise.all(ended)).toHaveLength(searches.length);
});

test('unfiltered lists of a site wait for one another, but not for searches', async () => {
  await using app = await startSite();
  const { studio } = app;
  const release = await app.hold('ownLists');
  const lists = [
    studio.subscribers.list.query(),
    studio.members.list.query(),
    studio.posts.list.query(),
    studio.skills.list.query(),
    studio.redirects.list.query(),
    studio.trash.list.query(),
    studio.media.list.query({}),
    studio.audit.list.query(),
  ];
  const ended = lists.map((list, index) => list.then(() => index));
  const search = studio.posts.list.query({ q }).then(() => 'the search');
  expect(await Promise.race([search, ...ended])).toBe('the search');
  release();
  expect(await Promise.all(ended)).toHaveLength(lists.length);
});

test('a list returns the total on each page, past its end, and if counting has to wait', async () => {
  await using app = await startSite();
  const total = 10_003;
  await app.subscribers(total);
  const of = async (input: { page?: number; per_page?: number; q?: string }) => {
    const { items, total } = await app.studio.subscribers.list.query(input);
    return [items.length, total];
  };
  expect(await of({})).toEqual([50, total]);
  expect(await of({ page: 201 })).toEqual([3, total]);
  expect(await of({ page: 202 })).toEqual([0, total]);
  expect(await of({ q: '@example' })).toEqual([50, total]);
  expect(await of({ q: '@example', page: 100 })).toEqual([50, total]);
  expect(await of({ q: '@example', page: 201 })).toEqual([3, total]);
  expect(await of({ q: '@example', page: 202 })).toEqual([0, total]);
  expect(await of({ q: '10003@' })).toEqual([1, 1]);
  expect(await of({ q })).toEqual([0, 0]);
});

test('a deep page continues after the pages before it, also with search and filter', async () => {
  await using app = await startSite();
  await app.subscribers(10_150);
  const last50 = Array.from({ length: 50 }, (_, index) => String(50 - index).padStart(15, '0'));
  for (const filtered of [
    {},
    { q: '@EXAMPLE' },
    { status: 'active' },
    { q: 'com', status: 'active' },
  ] as const) {
    const { items, total } = await app.studio.subscribers.list.query({
      page: 102,
      per_page: 100,
      ...filtered,
    });
    expect([total, items.map(({ id }) => id)]).toEqual([10_150, last50]);
  }
});
