import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { publishDue } from '../../shared/content/schedule.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { startApp } from '../support/app.ts';
import { ownerClient } from '../support/rpc.ts';
import { addScheduledPosts, startSchedules, timestamp } from '../support/scheduled.ts';

// A draft that is due is published once or not at all, even if it is edited, deleted or published at the same time.

const desk = await startSchedules();
afterAll(() => desk.app[Symbol.asyncDispose]());
const { app, database, siteId, key, studio, addPost, schedule, publishAt, rowOf, historyOf } = desk;

test('publishing keeps published_at and visibility that the owner set', async () => {
  const published_at = '2020-01-01T00:00:00.000Z';
  const id = await addPost({ published_at, visibility: 'unlisted' });
  await schedule(id);
  await publishAt(timestamp);
  expect(await rowOf('posts', id)).toMatchObject({
    published_at: new Date(published_at),
    visibility: 'unlisted',
    is_draft: false,
    is_public: false,
  });
  expect((await historyOf('posts', id)).at(-1)).toMatchObject({ changed: ['is_draft', 'publish_at'] });
});

test('editing a scheduled draft keeps its publication time', async () => {
  const id = await addPost();
  await schedule(id);
  await studio.posts.update.mutate({ id, title: 'Edited' });
  await app.patch(`/api/v1/posts/${id}`, { key, body: { excerpt: 'By a key' } });
  await studio.posts.restore.mutate({ id, revision: 1 });
  expect(await publishAt(timestamp)).toBe(1);
  expect(await rowOf('posts', id)).toMatchObject({ title: 'Later', excerpt: '', is_draft: false });
});

test.each([
  ['its owner', (id: string) => studio.posts.update.mutate({ id, is_draft: false })],
  ['a key', (id: string) => app.patch(`/api/v1/posts/${id}`, { key, body: { is_draft: false } })],
])(
  'a draft that %s publishes early is not published again, even after it became a draft again',
  async (_, publish) => {
    const id = await addPost();
    await schedule(id);
    await publish(id);
    expect(await rowOf('posts', id)).toMatchObject({ is_draft: false, publish_at: null, revision: 3 });
    await studio.posts.update.mutate({ id, is_draft: true });
    expect(await publishAt(timestamp)).toBe(0);
    expect(await rowOf('posts', id)).toMatchObject({ is_draft: true, publish_at: null });
  },
);

test('a deleted draft is not published, and is restored from the trash without its schedule', async () => {
  const id = await addPost();
  await schedule(id);
  await studio.posts.delete.mutate({ id });
  expect(await publishAt(timestamp)).toBe(0);
  await studio.trash.restore.mutate({ collection: 'posts', id });
  expect(await publishAt(timestamp)).toBe(0);
  expect(await rowOf('posts', id)).toMatchObject({ is_draft: true, publish_at: null });
  expect((await historyOf('posts', id)).at(-1)).toMatchObject({ changed: ['publish_at'] });
  expect(await studio.posts.getRevision.query({ id, revision: 2 })).toMatchObject({ publish_at: timestamp });
});

test('publishing skips a due draft while another transaction changes it, and then uses the changed values', async () => {
  const [kept = '', taken = ''] = [await addPost(), await addPost()];
  for (const id of [kept, taken]) await schedule(id);
  await database.em.fork().transactional(async (em) => {
    const db = em.getKysely();
    await sql`update posts set title = 'Held' where site_id = ${siteId} and id = ${kept}`.execute(db);
    await sql`update posts set publish_at = null where site_id = ${siteId} and id = ${taken}`.execute(db);
    expect(await publishAt(timestamp)).toBe(0);
  });
  expect(await publishAt(timestamp)).toBe(1);
  expect(await rowOf('posts', kept)).toMatchObject({ title: 'Held', is_draft: false });
  expect(await rowOf('posts', taken)).toMatchObject({ is_draft: true });
});

test('many due drafts of several sites are each published once, also by concurrent workers', async () => {
  await using other = await startApp();
  const { em } = other.deps.database;
  const sites = await Promise.all([1, 2, 3].map(() => other.seed.site()));
  for (const site of sites) {
    const { studio: own } = ownerClient(other.baseUrl, await other.seed.ownerToken(site));
    const { id } = await own.posts.create.mutate({ title: 'Many', is_draft: true });
    await addScheduledPosts(other.deps.database, {
      siteId: site,
      like: id,
      count: 100,
      publish_at: new Date(0),
    });
  }
  const publishAll = async () => {
    let sum = 0;
    for (let count = 1; count > 0; sum += count)
      count = await em
        .fork()
        .transactional((tx) => publishDue(tx, other.deps, { collection: 'posts', max: 20 }));
    return sum;
  };
  const published = await Promise.all([publishAll(), publishAll(), publishAll(), publishAll()]);
  const rest = await publishAll();
  expect(published.reduce((sum, count) => sum + count, rest)).toBe(300);
  const { rows } = await sql`
    select p.site_id, count(*)::integer as posts, min(p.revision) as min, max(p.revision) as max,
      (select count(*)::integer from record_revisions h where h.site_id = p.site_id and h.actor ->> 'kind' = 'schedule') as written,
      (select count(*)::integer from events e where e.site_id = p.site_id and e.name = 'content.updated') as updated,
      (select count(distinct e.body::json -> 'data' ->> 'id')::integer from events e
        where e.site_id = p.site_id and e.name = 'content.published') as published
    from posts p where not is_draft group by p.site_id order by p.site_id`.execute(em.getKysely());
  expect(rows).toEqual(
    sites.toSorted().map((site_id) => ({
      site_id,
      posts: 100,
      min: 2,
      max: 2,
      written: 100,
      updated: 100,
      published: 100,
    })),
  );
});

test('publishing a due draft adds the delivery job in the same transaction if a webhook subscribed to the event', async () => {
  await using other = await startApp();
  const { em } = other.deps.database;
  const ownerToken = await other.seed.ownerToken();
  const { studio: own } = ownerClient(other.baseUrl, ownerToken);
  const subscription = { url: 'https://example.com/hook', events: ['content.published'] };
  await other.post('/api/admin/webhooks', { key: ownerToken, body: subscription });
  const { id } = await own.posts.create.mutate({ title: 'Told', is_draft: true });
  await own.posts.schedule.mutate({ id, publish_at: timestamp });
  const waiting = async () => {
    const { rows } = await sql<{ jobs: number; events: number }>`
      select (select count(*)::integer from graphile_worker.jobs) as jobs,
        (select count(*)::integer from events where awaits_fan_out) as events`.execute(em.getKysely());
    return rows[0];
  };
  const publish = (tx: Transaction) =>
    publishDue(tx, other.deps, { collection: 'posts', max: 10, now: timestamp });
  const undone = em.fork().transactional(async (tx) => {
    await publish(tx);
    throw new Error('a crash');
  });
  await expect(undone).rejects.toThrow('a crash');
  expect(await waiting()).toEqual({ jobs: 0, events: 0 });
  await em.fork().transactional((tx) => publish(tx));
  expect(await waiting()).toEqual({ jobs: 1, events: 1 });
});

test('due drafts are found through an index', async () => {
  const { rows } = await sql<{ 'QUERY PLAN': unknown }>`
    explain (format json) select site_id, id from posts where publish_at <= now() order by publish_at limit 50`.execute(
    database.em.getKysely(),
  );
  expect(JSON.stringify(rows)).toContain('posts_publish_at_idx');
});
