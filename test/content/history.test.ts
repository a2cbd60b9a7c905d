import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { takenBack } from '../../server/content/revisions/revisions.ts';
import { keptRevisions } from '../../shared/contract/limits.ts';
import { allResources, contentCollections } from '../../shared/contract/resources/index.ts';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp } from '../support/app.ts';
import { connectAssistant } from '../support/assistant.ts';
import { calls } from '../support/calls.ts';
import { exampleOf, toJsonSchema } from '../support/examples.ts';
import { ownerClient, refusal } from '../support/rpc.ts';

// Every write of a record stores the previous values, the author of the write and the changed fields.

const app = await startApp();
afterAll(() => app[Symbol.asyncDispose]());

const siteId = await app.seed.ownSite();
const login = await app.seed.owner();
const session = await app.post('/api/admin/session', { body: login });
const { token, owner } = session.body as { token: string; owner: { id: string; name: string } };
const { studio } = ownerClient(app.baseUrl, token);
const createdKey = await app.post('/api/admin/api-keys', {
  key: token,
  body: { name: 'Publisher', scopes: scopeNames },
});
const { id: keyId, key } = createdKey.body as { id: string; key: string };
const notFound = { code: 'not_found', message: 'not found' };
const byOwner = { kind: 'owner', id: owner.id, name: 'Olive Owner' };
const byKey = { kind: 'key', id: keyId, name: 'Publisher' };
const byAssistant = { kind: 'assistant', id: keyId, name: 'Publisher' };

type Values = Record<string, unknown>;

/** Returns values for the required fields of a collection. */
function createMinimal(collection: keyof typeof allResources, references: Values): Values {
  const required = Object.entries(allResources[collection].fields).filter(([, field]) => field.required);
  const examples = required.map(([name, { input }]) => [name, exampleOf(toJsonSchema(input))]);
  return { ...Object.fromEntries(examples), ...references };
}

/** Calls a procedure over RPC and returns its output. */
async function call(name: string, input: Values, credential = token) {
  const { status, body } = await app.post(`/trpc/${name}`, { key: credential, body: { json: input } });
  expect([name, status, body]).toEqual([name, 200, expect.anything()]);
  return (body as { result: { data: { json: { id: string } } } }).result.data.json;
}

const historyOf = async (collection: string, id: string) =>
  (
    await sql<Values>`
      select revision, actor, changed from record_revisions
      where site_id = ${siteId} and collection = ${collection} and record_id = ${id} order by revision`.execute(
      app.deps.database.em.getKysely(),
    )
  ).rows;

async function referencesFor(collection: string): Promise<Values> {
  if (collection === 'modules')
    return { course_id: (await call('studio.courses.create', { title: 'C' })).id };
  if (collection !== 'lessons') return {};
  const course = await call('studio.courses.create', { title: 'C' });
  return { module_id: (await call('studio.modules.create', { course_id: course.id, title: 'M' })).id };
}

const served = new Set(calls.map(({ title }) => title));

test.each(contentCollections)(
  '%s: every write over every surface adds a revision with its author and the changed fields',
  async (collection) => {
    const minimal = createMinimal(collection, await referencesFor(collection));
    const field = Object.keys(minimal).at(-1) ?? '';
    const { id } = await call(`studio.${collection}.create`, minimal);
    await call(`studio.${collection}.update`, { id, [field]: 'By the owner' });
    await call(`studio.${collection}.update`, { id });
    await call(`studio.${collection}.restore`, { id, revision: 1 });
    const expected = [
      { revision: 1, actor: byOwner, changed: expect.arrayContaining(Object.keys(minimal)) },
      { revision: 2, actor: byOwner, changed: [field] },
      { revision: 3, actor: byOwner, changed: [field] },
    ];
    if (served.has(`REST v1.${collection}.update`)) {
      await app.patch(`/api/v1/${collection}/${id}`, { key, body: { [field]: 'By a key' } });
      await call(`v1.${collection}.update`, { id, [field]: 'By a key over RPC' }, key);
      await using assistant = await connectAssistant(app, key);
      const tool = allResources[collection].name.replaceAll(' ', '_');
      await assistant.callTool(`update_${tool}`, { id, [field]: 'By an assistant' });
      for (const [position, actor] of [byKey, byKey, byAssistant].entries())
        expected.push({ revision: 4 + position, actor, changed: [field] });
    }
    expect(await historyOf(collection, id)).toEqual(expected);
  },
);

test('reordering adds revisions only to modules and lessons whose position changes', async () => {
  const { course_id } = await referencesFor('modules');
  const ids: string[] = [];
  for (const sort_order of [0, 1, 2])
    ids.push((await call('studio.modules.create', { course_id, title: 'M', sort_order })).id);
  const [a = '', b = '', c = ''] = ids;
  await studio.modules.reorder.mutate({ ids: [b, a, c] });
  const moved = { revision: 2, actor: byOwner, changed: ['sort_order'] };
  expect((await historyOf('modules', a)).slice(1)).toEqual([moved]);
  expect((await historyOf('modules', b)).slice(1)).toEqual([moved]);
  expect((await historyOf('modules', c)).slice(1)).toEqual([]);
  expect(await studio.modules.getRevision.query({ id: a, revision: 1 })).toMatchObject({ sort_order: 0 });
});

test('the owner lists the writes of a record, newest first, with time, author and changed fields', async () => {
  const created = app.clock.now();
  const { id } = await studio.posts.create.mutate({ title: 'Kept', is_draft: true });
  app.clock.advance({ minutes: 1 });
  await app.patch(`/api/v1/posts/${id}`, { key, body: { is_draft: false, tags: ['a'], title: 'Kept' } });
  const publication = {
    revision: 2,
    created: app.clock.now(),
    actor: byKey,
    changed: ['is_draft', 'tags', 'published_at'],
  };
  const creation = { revision: 1, created, actor: byOwner, changed: ['title', 'slug', 'is_draft'] };
  expect(await studio.posts.revisions.query({ id })).toEqual({
    items: [publication, creation],
    page: 1,
    per_page: 50,
    total: 2,
  });
  expect(await studio.posts.revisions.query({ id, page: 2, per_page: 1 })).toMatchObject({
    items: [creation],
  });
});

test('a revision returns the record as it was then, for every kind of field', async () => {
  const course = { title: 'First', price: 9.5, tags: ['null', ' a"b'], estimated_hours: null, sort_order: 3 };
  const { id } = await studio.courses.create.mutate(course);
  const states = [await studio.courses.get.query({ id })];
  const writes = [
    { title: 'Second', price: null, sequential_access: true },
    { tags: [], estimated_hours: 0.25, description: 'x'.repeat(40_000) },
    { title: 'First', sort_order: -1, visibility: 'private' as const },
    { description: null, tags: ['again'] },
  ];
  for (const write of writes) {
    app.clock.advance({ seconds: 1 });
    await studio.courses.update.mutate({ id, ...write });
    states.push(await studio.courses.get.query({ id }));
  }
  for (const [position, state] of states.entries())
    expect(await studio.courses.getRevision.query({ id, revision: position + 1 })).toEqual(state);
  const { id: post } = await studio.posts.create.mutate({
    title: 'P',
    published_at: '2020-02-03T04:05:06.789Z',
  });
  const first = await studio.posts.get.query({ id: post });
  await studio.posts.update.mutate({ id: post, published_at: '2021-01-01T00:00:00Z' });
  expect(await studio.posts.getRevision.query({ id: post, revision: 1 })).toEqual(first);
});

test('restoring a revision is an update of the current record, with an event and a new revision', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Good', content: 'Body', tags: ['a'] });
  const { created, ...first } = await studio.posts.get.query({ id });
  await studio.posts.update.mutate({ id, content: '', tags: ['b'], featured: true });
  await studio.posts.update.mutate({ id, title: 'Worse', slug: 'worse' });
  app.clock.advance({ minutes: 1 });
  const before = await eventsOf(id);
  expect(await studio.posts.restore.mutate({ id, revision: 1 })).toEqual({ status: 'updated' });
  expect(await studio.posts.get.query({ id })).toEqual({
    ...first,
    created,
    updated: app.clock.now(),
    revision: 4,
  });
  expect((await eventsOf(id)).slice(before.length)).toEqual(['content.updated', 'content.published']);
  expect((await studio.posts.revisions.query({ id })).items[0]).toMatchObject({
    revision: 4,
    changed: expect.arrayContaining(['title', 'slug', 'content', 'tags', 'featured']),
  });
  expect(await studio.posts.restore.mutate({ id, revision: 4 })).toEqual({ status: 'updated' });
  expect((await studio.posts.get.query({ id })).revision).toBe(4);
});

test('restoring a revision is refused if another record has its slug, and changes nothing', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Mine', slug: 'mine' });
  await studio.posts.update.mutate({ id, slug: 'mine-moved' });
  await studio.posts.create.mutate({ title: 'Other', slug: 'mine' });
  expect(await refusal(studio.posts.restore.mutate({ id, revision: 1 }))).toEqual({
    code: 'validation_failed',
    message: 'slug: already in use',
  });
  expect(await studio.posts.get.query({ id })).toMatchObject({ slug: 'mine-moved', revision: 2 });
});

test('a record keeps its newest fifty revisions', async () => {
  const { id } = await studio.skills.create.mutate({ name: 'Write 1' });
  for (let write = 2; write <= keptRevisions; write++)
    await studio.skills.update.mutate({ id, name: `Write ${write}` });
  const { skills } = studio;
  expect(await skills.revisions.query({ id, per_page: 1, page: 50 })).toMatchObject({
    items: [{ revision: 1 }],
    total: 50,
  });
  expect(await skills.getRevision.query({ id, revision: 1 })).toMatchObject({ name: 'Write 1' });
  await skills.update.mutate({ id, name: 'Write 51' });
  expect(await skills.revisions.query({ id, per_page: 1, page: 50 })).toMatchObject({
    items: [{ revision: 2 }],
    total: 50,
  });
  expect(await skills.getRevision.query({ id, revision: 2 })).toMatchObject({ name: 'Write 2' });
  for (const revision of [1, 52]) {
    expect(await refusal(skills.getRevision.query({ id, revision }))).toEqual(notFound);
    expect(await refusal(skills.restore.mutate({ id, revision }))).toEqual(notFound);
  }
});

test('a record that is older than the history can be restored to its state before its first recorded write', async () => {
  const { id } = await studio.talks.create.mutate({ title: 'Old' });
  const old = await studio.talks.get.query({ id });
  await app.deps.database.em.execute(`delete from record_revisions where record_id = ?`, [id]);
  expect(await studio.talks.revisions.query({ id })).toMatchObject({ items: [], total: 0 });
  expect(await studio.talks.getRevision.query({ id, revision: 1 })).toEqual(old);
  app.clock.advance({ ms: 1 });
  await studio.talks.update.mutate({ id, title: 'New' });
  expect(await studio.talks.getRevision.query({ id, revision: 1 })).toEqual(old);
});

test('reading a revision fetches only the values of that revision, however long the history is', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Long', content: 'Body 1' });
  for (let n = 2; n <= 9; n++) await studio.posts.update.mutate({ id, content: `Body ${n}` });
  await studio.posts.update.mutate({ id, title: 'Longer' });
  const collection = { deps: app.deps, siteId, resource: allResources.posts };
  const at = (revision: number) => takenBack(app.deps.database.em, collection, { id, revision, present: 10 });
  const updated = expect.any(String);
  expect(await at(3)).toEqual({ writes: 7, values: { content: 'Body 3', title: 'Long', updated } });
  expect(await at(9)).toEqual({ writes: 1, values: { title: 'Long', updated } });
  expect(await at(10)).toEqual({ writes: 0, values: {} });
});

test('a failed write adds no revision', async () => {
  const { id } = await studio.posts.create.mutate({ title: 'Whole', slug: 'whole' });
  await studio.posts.create.mutate({ title: 'Taken', slug: 'taken-already' });
  await refusal(studio.posts.update.mutate({ id, slug: 'taken-already' }));
  expect(await historyOf('posts', id)).toHaveLength(1);
});

const eventsOf = async (id: string) => {
  const rows = await app.deps.database.em
    .fork()
    .execute<{ name: string }[]>(
      `select name from events where body::json -> 'data' ->> 'id' = ? order by occurred_at`,
      [id],
    );
  return rows.map(({ name }) => name);
};
