import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { publishDue } from '../../shared/content/schedule.ts';
import { allResources, scheduledCollections } from '../../shared/contract/resources/index.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import type { Transaction } from '../../shared/db/config.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { calls } from '../support/calls.ts';
import { exampleOf, toJsonSchema } from '../support/examples.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { addScheduledPosts } from '../support/scheduled.ts';

// A draft is published at the moment that its owner gives it: never early, once, and with all that a publication has.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const { database } = app.deps;
const siteId = await app.seed.ownSite();
const login = await app.seed.owner();
const session = await app.post('/api/admin/session', { body: login });
const { token, owner } = session.body as { token: string; owner: { id: string; name: string } };
const { studio } = ownerClient(app.baseUrl, token);
const key = await app.seed.key({ scopes: scopeNames });

type Values = Record<string, unknown>;
type Scheduled = (typeof scheduledCollections)[number];

const moment = new Date('2099-03-01T08:00:00.250Z');
const before = new Date(moment.getTime() - 1);
const byOwner = { kind: 'owner', id: owner.id, name: owner.name };
const bySchedule = { kind: 'schedule', id: '', name: '' };
const updated = { status: 'updated' };

async function call<T = Values>(name: string, input: Values): Promise<T> {
  const { status, body } = await app.post(`/trpc/${name}`, { key: token, body: { json: input } });
  expect([name, status, body]).toEqual([name, 200, expect.anything()]);
  return (body as { result: { data: { json: T } } }).result.data.json;
}

/** What a worker does of one collection when it is `now`. */
const publishAt = (now: Date, collection: Scheduled = 'posts', most = 100) =>
  database.em.fork().transactional((em) => publishDue(em, app.deps, { collection, most, now }));

async function addDraft(collection: Scheduled): Promise<string> {
  const required = Object.entries(allResources[collection].fields).filter(([, field]) => field.required);
  const examples = required.map(([name, { input }]) => [name, exampleOf(toJsonSchema(input))]);
  const values = { ...Object.fromEntries(examples), is_draft: true };
  return (await call<{ id: string }>(`studio.${collection}.create`, values)).id;
}

const addPost = async (values: Values = {}) =>
  (await studio.posts.create.mutate({ title: 'Later', is_draft: true, ...values })).id;

const schedule = (id: string, publish_at: Date | string | null = moment) =>
  studio.posts.schedule.mutate({ id, publish_at });

const rowOf = async (collection: string, id: string) =>
  (
    await sql<Values>`select * from ${sql.table(collection)} where id = ${id}`.execute(
      database.em.getKysely(),
    )
  ).rows[0];

const eventsOf = async (id: string) =>
  (
    await sql<{ name: string; body: string; awaits_fan_out: boolean }>`
      select name, body, awaits_fan_out from events where body::json -> 'data' ->> 'id' = ${id} order by occurred_at`.execute(
      database.em.getKysely(),
    )
  ).rows;

const historyOf = async (collection: string, id: string) =>
  (
    await sql<Values>`
      select revision, actor, changed from record_revisions
      where site_id = ${siteId} and collection = ${collection} and record_id = ${id} order by revision`.execute(
      database.em.getKysely(),
    )
  ).rows;

test.each(scheduledCollections)(
  '%s: a scheduled draft is published at its moment and not a millisecond before, as a revision by the schedule',
  async (collection) => {
    const id = await addDraft(collection);
    expect(await call(`studio.${collection}.schedule`, { id, publish_at: moment.toISOString() })).toEqual(
      updated,
    );
    expect(await rowOf(collection, id)).toMatchObject({ publish_at: moment, is_draft: true, revision: 2 });
    const fired = await eventsOf(id);
    expect(await publishAt(before, collection)).toBe(0);
    expect(await publishAt(moment, collection)).toBe(1);
    expect(await publishAt(moment, collection)).toBe(0);
    const dated = 'published_at' in allResources[collection].fields;
    expect(await rowOf(collection, id)).toMatchObject({
      publish_at: null,
      is_draft: false,
      is_public: true,
      revision: 3,
      updated: moment,
      ...(dated && { published_at: moment }),
    });
    expect((await historyOf(collection, id)).slice(1)).toEqual([
      { revision: 2, actor: byOwner, changed: ['publish_at'] },
      {
        revision: 3,
        actor: bySchedule,
        changed: ['is_draft', 'publish_at', ...(dated ? ['published_at'] : [])],
      },
    ]);
    const names = (await eventsOf(id)).slice(fired.length).map(({ name }) => name);
    expect(names).toEqual(allResources[collection].events ? ['content.updated', 'content.published'] : []);
  },
);

test('every resource whose records can be drafts can be scheduled, and no other', () => {
  const served = calls.flatMap(({ title }) => /^RPC studio\.(\w+)\.schedule$/.exec(title)?.[1] ?? []);
  expect(served.toSorted()).toEqual(scheduledCollections.toSorted());
  expect(scheduledCollections).not.toContain('skills');
});

test('the owner reads the moment of a draft, in its lists too', async () => {
  const id = await addPost();
  expect(await studio.posts.get.query({ id })).toMatchObject({ publish_at: null });
  await schedule(id);
  expect(await studio.posts.get.query({ id })).toMatchObject({ publish_at: moment, is_draft: true });
  const { items } = await studio.posts.list.query();
  expect(items.find((post) => post.id === id)).toMatchObject({ publish_at: moment });
  expect(await studio.posts.getRevision.query({ id, revision: 1 })).toMatchObject({ publish_at: null });
  await schedule(id, null);
  expect(await studio.posts.get.query({ id })).toMatchObject({ publish_at: null, is_draft: true });
  expect(await studio.posts.getRevision.query({ id, revision: 2 })).toMatchObject({ publish_at: moment });
});

test('the moment of a draft is in no answer of v1, v2 or a tool, in no event, and no field to write', async () => {
  const id = await addPost({ title: 'Unseen' });
  await schedule(id);
  await using assistant = await connectAssistant(app, key);
  const draft = await assistant.callTool('get_draft', { collection: 'posts', id });
  const drafts = await assistant.callTool('list_drafts', { collection: 'posts' });
  expect(JSON.stringify(draft)).toContain('Unseen');
  const seen: unknown[] = [draft, drafts];
  for (const write of [{ id, publish_at: moment }])
    expect((await app.patch(`/api/v1/posts/${id}`, { key, body: write })).status).toBe(400);
  await publishAt(moment);
  const { slug } = await studio.posts.get.query({ id });
  for (const path of ['/api/v1/posts', `/api/v1/posts/${slug}`, '/api/v2/posts', `/api/v2/posts/${id}`]) {
    const { status, body } = await app.get(path, { key });
    expect([path, status]).toEqual([path, 200]);
    expect(JSON.stringify(body)).toContain('Unseen');
    seen.push(body);
  }
  expect(JSON.stringify(seen)).not.toContain('publish_at');
  expect(JSON.stringify(await eventsOf(id))).not.toContain('publish_at');
});

test('a date of publication that was set stays, as does a visibility', async () => {
  const published_at = '2020-01-01T00:00:00.000Z';
  const id = await addPost({ published_at, visibility: 'unlisted' });
  await schedule(id);
  await publishAt(moment);
  expect(await rowOf('posts', id)).toMatchObject({
    published_at: new Date(published_at),
    visibility: 'unlisted',
    is_draft: false,
    is_public: false,
  });
  expect((await historyOf('posts', id)).at(-1)).toMatchObject({ changed: ['is_draft', 'publish_at'] });
});

test('a moment that has passed publishes at once', async () => {
  const id = await addPost();
  const passed = new Date('2026-01-31T09:00:00.000Z');
  const answer = await app.post('/trpc/studio.posts.schedule', {
    key: token,
    body: { json: { id, publish_at: passed.toISOString() } },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).toMatch(/^"3-/);
  expect(await rowOf('posts', id)).toMatchObject({
    is_draft: false,
    publish_at: null,
    published_at: passed,
    revision: 3,
  });
  const { slug } = await studio.posts.get.query({ id });
  expect((await app.get(`/api/v1/posts/${slug}`, { key })).status).toBe(200);
});

test('what is no draft can not be scheduled, nor taken back: its owner learns that it is public', async () => {
  const id = await addPost({ is_draft: false });
  const refused = { code: 'validation_failed', message: 'publish_at: only drafts can have it' };
  expect(await refusal(schedule(id))).toEqual(refused);
  expect(await refusal(schedule(id, null))).toEqual(refused);
  expect(await refusal(schedule('a'.repeat(15)))).toMatchObject({ code: 'not_found' });
  expect(await refusal(schedule(id, 'tomorrow'))).toMatchObject({ code: 'validation_failed' });
  expect(await historyOf('posts', id)).toHaveLength(1);
});

test('another site can not schedule a draft', async () => {
  const id = await addPost();
  const other = await app.seed.ownerToken(await app.seed.site());
  const foreign = ownerClient(app.baseUrl, other).studio;
  expect(await refusal(foreign.posts.schedule.mutate({ id, publish_at: moment }))).toMatchObject({
    code: 'not_found',
  });
  expect(await rowOf('posts', id)).toMatchObject({ publish_at: null, revision: 1 });
});

test('the same moment again is no write; under If-Match another revision is refused', async () => {
  const id = await addPost();
  const under = (tag: string, publish_at: Date | null) =>
    app.post('/trpc/studio.posts.schedule', {
      key: token,
      body: { json: { id, publish_at } },
      headers: { 'if-match': tag },
    });
  expect((await under('"2-x"', moment)).status).toBe(412);
  expect((await under('"1-x"', moment)).headers.get('etag')).toMatch(/^"2-/);
  expect((await under('"2-x"', moment)).headers.get('etag')).toMatch(/^"2-/);
  expect((await under('"2-x"', null)).headers.get('etag')).toMatch(/^"3-/);
  expect((await under('"3-x"', null)).headers.get('etag')).toMatch(/^"3-/);
});

test('an edit of a draft keeps its moment', async () => {
  const id = await addPost();
  await schedule(id);
  await studio.posts.update.mutate({ id, title: 'Edited' });
  await app.patch(`/api/v1/posts/${id}`, { key, body: { excerpt: 'By a key' } });
  await studio.posts.restore.mutate({ id, revision: 1 });
  expect(await publishAt(moment)).toBe(1);
  expect(await rowOf('posts', id)).toMatchObject({ title: 'Later', excerpt: '', is_draft: false });
});

test.each([
  ['its owner', (id: string) => studio.posts.update.mutate({ id, is_draft: false })],
  ['a key', (id: string) => app.patch(`/api/v1/posts/${id}`, { key, body: { is_draft: false } })],
])(
  'a draft that %s publishes first is not published again, nor when it is a draft again',
  async (_, publish) => {
    const id = await addPost();
    await schedule(id);
    await publish(id);
    expect(await rowOf('posts', id)).toMatchObject({ is_draft: false, publish_at: null, revision: 3 });
    await studio.posts.update.mutate({ id, is_draft: true });
    expect(await publishAt(moment)).toBe(0);
    expect(await rowOf('posts', id)).toMatchObject({ is_draft: true, publish_at: null });
  },
);

test('a draft that is deleted is not published, and comes back from the trash without its moment', async () => {
  const id = await addPost();
  await schedule(id);
  await studio.posts.delete.mutate({ id });
  expect(await publishAt(moment)).toBe(0);
  await studio.trash.restore.mutate({ collection: 'posts', id });
  expect(await publishAt(moment)).toBe(0);
  expect(await rowOf('posts', id)).toMatchObject({ is_draft: true, publish_at: null });
  expect((await historyOf('posts', id)).at(-1)).toMatchObject({ changed: ['publish_at'] });
  expect(await studio.posts.getRevision.query({ id, revision: 2 })).toMatchObject({ publish_at: moment });
});

test('a draft that somebody writes while it is due is left until they have: what they wrote decides', async () => {
  const [kept = '', taken = ''] = [await addPost(), await addPost()];
  for (const id of [kept, taken]) await schedule(id);
  await database.em.fork().transactional(async (em) => {
    const db = em.getKysely();
    await sql`update posts set title = 'Held' where site_id = ${siteId} and id = ${kept}`.execute(db);
    await sql`update posts set publish_at = null where site_id = ${siteId} and id = ${taken}`.execute(db);
    expect(await publishAt(moment)).toBe(0);
  });
  expect(await publishAt(moment)).toBe(1);
  expect(await rowOf('posts', kept)).toMatchObject({ title: 'Held', is_draft: false });
  expect(await rowOf('posts', taken)).toMatchObject({ is_draft: true });
});

test('many due at once on several sites are each published once, whoever publishes beside', async () => {
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
        .transactional((tx) => publishDue(tx, other.deps, { collection: 'posts', most: 20 }));
    return sum;
  };
  const published = await Promise.all([publishAll(), publishAll(), publishAll(), publishAll()]);
  const rest = await publishAll();
  expect(published.reduce((sum, count) => sum + count, rest)).toBe(300);
  const { rows } = await sql`
    select p.site_id, count(*)::integer as posts, min(p.revision) as least, max(p.revision) as most,
      (select count(*)::integer from record_revisions h where h.site_id = p.site_id and h.actor ->> 'kind' = 'schedule') as written,
      (select count(*)::integer from events e where e.site_id = p.site_id and e.name = 'content.updated') as updated,
      (select count(distinct e.body::json -> 'data' ->> 'id')::integer from events e
        where e.site_id = p.site_id and e.name = 'content.published') as published
    from posts p where not is_draft group by p.site_id order by p.site_id`.execute(em.getKysely());
  expect(rows).toEqual(
    sites.toSorted().map((site_id) => ({
      site_id,
      posts: 100,
      least: 2,
      most: 2,
      written: 100,
      updated: 100,
      published: 100,
    })),
  );
});

test('a publication that somebody subscribed to wakes the worker in its own transaction', async () => {
  await using other = await startApp();
  const { em } = other.deps.database;
  const ownerToken = await other.seed.ownerToken();
  const { studio: own } = ownerClient(other.baseUrl, ownerToken);
  const subscription = { url: 'https://example.com/hook', events: ['content.published'] };
  await other.post('/api/admin/webhooks', { key: ownerToken, body: subscription });
  const { id } = await own.posts.create.mutate({ title: 'Told', is_draft: true });
  await own.posts.schedule.mutate({ id, publish_at: moment });
  const waiting = async () => {
    const { rows } = await sql<{ jobs: number; events: number }>`
      select (select count(*)::integer from graphile_worker.jobs) as jobs,
        (select count(*)::integer from events where awaits_fan_out) as events`.execute(em.getKysely());
    return rows[0];
  };
  const publish = (tx: Transaction) =>
    publishDue(tx, other.deps, { collection: 'posts', most: 10, now: moment });
  const undone = em.fork().transactional(async (tx) => {
    await publish(tx);
    throw new Error('a crash');
  });
  await expect(undone).rejects.toThrow('a crash');
  expect(await waiting()).toEqual({ jobs: 0, events: 0 });
  await em.fork().transactional((tx) => publish(tx));
  expect(await waiting()).toEqual({ jobs: 1, events: 1 });
});

test('what is due is found by its index, however much there is', async () => {
  const { rows } = await sql<{ 'QUERY PLAN': unknown }>`
    explain (format json) select site_id, id from posts where publish_at <= now() order by publish_at limit 200`.execute(
    database.em.getKysely(),
  );
  expect(JSON.stringify(rows)).toContain('posts_publish_at_idx');
});
