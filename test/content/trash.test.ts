import { afterAll, expect, test } from 'vitest';
import { allResources, contentCollections } from '../../shared/contract/resources/index.ts';
import { emptyTrash } from '../../worker/jobs/prune.ts';
import { startApp } from '../support/app.ts';
import { exampleOf, toJsonSchema } from '../support/examples.ts';
import { failure } from '../support/http.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Deleted records are moved to the trash: no reader sees them, and their owner can restore them.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const login = await app.seed.owner();
const session = await app.post('/api/admin/session', { body: login });
const { token, owner } = session.body as { token: string; owner: { id: string } };
const { studio } = ownerClient(app.baseUrl, token);
const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
const notFound = { code: 'not_found', message: 'not found' };

type Collection = (typeof contentCollections)[number];
type Values = Record<string, unknown>;

async function call<T>(name: string, input: Values): Promise<T> {
  const { status, body } = await app.post(`/trpc/${name}`, { key: token, body: { json: input } });
  expect([name, status, body]).toEqual([name, 200, expect.anything()]);
  return (body as { result: { data: { json: T } } }).result.data.json;
}

/** Returns example values for all fields of a collection. */
async function fullOf(collection: Collection): Promise<Values> {
  const examples = Object.entries(allResources[collection].fields).map(([name, { input }]) => [
    name,
    exampleOf(toJsonSchema(input)),
  ]);
  const { slug: _, ...values } = Object.fromEntries(examples);
  if (collection === 'modules') return { ...values, course_id: await addCourse() };
  if (collection === 'lessons') return { ...values, module_id: await addModule(await addCourse()) };
  return values;
}

const addCourse = async (title = 'Course') => (await studio.courses.create.mutate({ title })).id;
const addModule = async (course_id: string, title = 'Module') =>
  (await studio.modules.create.mutate({ course_id, title })).id;
const addLesson = async (module_id: string, title = 'Lesson') =>
  (await studio.lessons.create.mutate({ module_id, title, content: 'Body' })).id;

const rowOf = async (collection: string, id: string) => {
  const [row] = await app.deps.database.em
    .fork()
    .execute<Values[]>(`select to_jsonb(r) as row from ${collection} r where id = ?`, [id]);
  return row?.row as Values | undefined;
};

const eventsOf = async (id: string) => {
  const rows = await app.deps.database.em
    .fork()
    .execute<{ name: string }[]>(
      `select name from events where body::json -> 'data' ->> 'id' = ? order by occurred_at`,
      [id],
    );
  return rows.map(({ name }) => name);
};

test.each(contentCollections)(
  '%s: a deleted record is restored unchanged with its history, as its next revision',
  async (collection) => {
    const { id } = await call<{ id: string }>(`studio.${collection}.create`, await fullOf(collection));
    const before = await rowOf(collection, id);
    app.clock.advance({ minutes: 1 });
    await call(`studio.${collection}.delete`, { id });
    expect(await rowOf(collection, id)).toBeUndefined();
    const { items, total } = await studio.trash.list.query({ collection });
    expect([items.length, total]).toEqual([1, 1]);
    expect(items[0]).toEqual({
      collection,
      id,
      title: expect.stringMatching(/./),
      deleted: app.clock.now(),
      actor: { kind: 'owner', id: owner.id, name: 'Olive Owner' },
    });
    app.clock.advance({ minutes: 1 });
    const slug = before && 'slug' in before ? { slug: before.slug } : {};
    expect(await call('studio.trash.restore', { collection, id })).toEqual({ status: 'restored', ...slug });
    const updated = app.clock.now().toISOString().replace('Z', '+00:00');
    expect(await rowOf(collection, id)).toEqual({ ...before, updated, revision: 2 });
    expect(await studio.trash.list.query({ collection })).toMatchObject({ items: [], total: 0 });
    const revisions = await app.get(
      `/trpc/studio.${collection}.revisions?input=${encodeURIComponent(JSON.stringify({ json: { id } }))}`,
      { key: token },
    );
    expect(revisions.body).toMatchObject({
      result: { data: { json: { items: [{ revision: 2, changed: [] }, { revision: 1 }] } } },
    });
    expect(await refusal(studio.trash.restore.mutate({ collection, id }))).toEqual(notFound);
  },
);

test('a deleted record disappears from every read immediately, and events report deletion and restoration', async () => {
  const { id } = (await app.post('/api/v1/posts', { key, body: { title: 'Now and then', tags: ['rare'] } }))
    .body as { id: string };
  const reads = [
    '/api/v1/posts/now-and-then',
    `/api/v2/posts/${id}`,
    '/api/v1/posts?tag=rare',
    '/api/v2/posts?tag=rare',
  ];
  const there = await Promise.all(reads.map((path) => app.get(path, { key })));
  await app.delete(`/api/v1/posts/${id}`, { key });
  const gone = await Promise.all(reads.map((path) => app.get(path, { key })));
  expect(gone.slice(0, 2)).toEqual([failure(404, 'not_found'), failure(404, 'not_found')]);
  for (const list of gone.slice(2)) expect(list).toMatchObject({ status: 200, body: { total: 0 } });
  expect(await refusal(studio.posts.get.query({ id }))).toEqual(notFound);
  expect(await refusal(studio.posts.revisions.query({ id }))).toEqual(notFound);
  expect(await refusal(studio.posts.restore.mutate({ id, revision: 1 }))).toEqual(notFound);
  expect(await app.patch(`/api/v1/posts/${id}`, { key, body: { title: 'X' } })).toEqual(
    failure(404, 'not_found'),
  );
  await studio.trash.restore.mutate({ collection: 'posts', id });
  const back = await Promise.all(reads.map((path) => app.get(path, { key })));
  expect(back).toEqual(there);
  expect(await eventsOf(id)).toEqual(['content.created', 'content.deleted', 'content.created']);
});

test('the slug of a deleted record is available immediately, and a restored record gets a number', async () => {
  const make = (title: string) => studio.posts.create.mutate({ title, slug: 'wanted' });
  const { id } = await make('First');
  await studio.posts.delete.mutate({ id });
  const { id: second } = await make('Second');
  expect(await studio.trash.restore.mutate({ collection: 'posts', id })).toEqual({
    status: 'restored',
    slug: 'wanted-2',
  });
  expect(await studio.posts.get.query({ id })).toMatchObject({ slug: 'wanted-2', revision: 2 });
  expect(await studio.posts.getRevision.query({ id, revision: 1 })).toMatchObject({ slug: 'wanted' });
  expect((await studio.posts.revisions.query({ id })).items[0]).toMatchObject({ changed: ['slug'] });
  expect(await studio.posts.get.query({ id: second })).toMatchObject({ slug: 'wanted' });
});

test('a slug of maximum length stays valid when it gets a number', async () => {
  const slug = 'a'.repeat(200);
  const { id } = await studio.posts.create.mutate({ title: 'Long', slug });
  await studio.posts.delete.mutate({ id });
  await studio.posts.create.mutate({ title: 'Other', slug });
  expect(await studio.trash.restore.mutate({ collection: 'posts', id })).toEqual({
    status: 'restored',
    slug: 'a'.repeat(180),
  });
});

test('a purged record and its history cannot be restored', async () => {
  const { id } = await studio.skills.create.mutate({ name: 'Gone' });
  await studio.skills.delete.mutate({ id });
  expect(await studio.trash.purge.mutate({ collection: 'skills', id })).toEqual({ status: 'deleted' });
  const address = { collection: 'skills', id } as const;
  expect(await refusal(studio.trash.purge.mutate(address))).toEqual(notFound);
  expect(await refusal(studio.trash.restore.mutate(address))).toEqual(notFound);
  expect(
    await app.deps.database.em.fork().execute('select from record_revisions where record_id = ?', [id]),
  ).toEqual([]);
});

test('the trash is paginated, latest deletion first, and can be filtered by collection', async () => {
  const own = await app.seed.site();
  const { studio: theirs } = ownerClient(app.baseUrl, await app.seed.ownerToken(own));
  const ids: string[] = [];
  for (const title of ['One', 'Two', 'Three']) {
    const { id } = await theirs.posts.create.mutate({ title });
    ids.unshift(id);
    await theirs.posts.delete.mutate({ id });
    app.clock.advance({ seconds: 1 });
  }
  const { id } = await theirs.skills.create.mutate({ name: 'Juggling' });
  await theirs.skills.delete.mutate({ id });
  const { items, ...page } = await theirs.trash.list.query({ per_page: 3, page: 1 });
  expect(page).toEqual({ page: 1, per_page: 3, total: 4 });
  expect(items.map(({ title }) => title)).toEqual(['Juggling', 'Three', 'Two']);
  expect((await theirs.trash.list.query({ per_page: 3, page: 2 })).items).toMatchObject([{ title: 'One' }]);
  expect((await theirs.trash.list.query({ collection: 'posts' })).items.map((item) => item.id)).toEqual(ids);
  expect(await refusal(theirs.trash.list.query({ collection: 'members' as 'posts' }))).toMatchObject({
    code: 'invalid_request',
  });
});

test('only the owner can read the trash: not another site, nor an API key', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Private matter' });
  await studio.posts.delete.mutate({ id });
  const theirs = ownerClient(app.baseUrl, await app.seed.ownerToken(await app.seed.site())).studio.trash;
  const address = { collection: 'posts', id } as const;
  expect(await theirs.list.query()).toMatchObject({ items: [], total: 0 });
  expect(await refusal(theirs.restore.mutate(address))).toEqual(notFound);
  expect(await refusal(theirs.purge.mutate(address))).toEqual(notFound);
  expect((await app.get('/trpc/studio.trash.list', { key })).status).toBe(401);
  expect((await studio.trash.list.query()).items).toContainEqual(expect.objectContaining({ id }));
  await studio.trash.purge.mutate(address);
});

test('the worker deletes records from the trash after thirty days', async () => {
  const old = await studio.posts.create.mutate({ title: 'Old' });
  const lesson = await addLesson(await addModule(await addCourse('Old course')));
  const [course] = (await studio.courses.list.query({ per_page: 1 })).items;
  await studio.posts.delete.mutate({ id: old.id });
  await studio.courses.delete.mutate({ id: course?.id ?? '' });
  app.clock.advance({ days: 29, hours: 23 });
  // The session expired in the meantime, so a new one is needed.
  const later = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const young = await later.posts.create.mutate({ title: 'Young' });
  await later.posts.delete.mutate({ id: young.id });
  const { database } = app.deps;
  await emptyTrash(database, app.clock.now());
  expect((await later.trash.list.query()).items.map(({ id }) => id)).toContain(old.id);
  app.clock.advance({ hours: 1 });
  const address = { collection: 'posts', id: old.id } as const;
  expect((await later.trash.list.query()).items.map(({ id }) => id)).toEqual([young.id]);
  expect(await refusal(later.trash.restore.mutate(address))).toEqual(notFound);
  expect(await refusal(later.trash.purge.mutate(address))).toEqual(notFound);
  await emptyTrash(database, app.clock.now());
  expect(await database.em.fork().execute('select id from trash')).toEqual([{ id: young.id }]);
  const forgotten = [old.id, lesson, course?.id ?? ''];
  const left = await database.em
    .fork()
    .execute('select from record_revisions where record_id in (?, ?, ?)', forgotten);
  expect(left).toEqual([]);
  await later.trash.restore.mutate({ collection: 'posts', id: young.id });
});
