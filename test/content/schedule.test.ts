import { afterAll, expect, test } from 'vitest';
import { allResources, scheduledCollections } from '../../shared/contract/resources/index.ts';
import { connectAssistant } from '../support/assistant.ts';
import { calls } from '../support/calls.ts';
import { exampleOf, toJsonSchema } from '../support/examples.ts';
import { ownerClient, refusal } from '../support/rpc.ts';
import { type ScheduledCollection, startSchedules, timestamp } from '../support/scheduled.ts';

// A scheduled draft is published at its time: never early, once, and with the same effects as a publication by hand.

const desk = await startSchedules();
afterAll(() => desk.app[Symbol.asyncDispose]());
const { app, token, owner, key, studio, addPost, schedule, publishAt, rowOf, eventsOf, historyOf } = desk;

type Values = Record<string, unknown>;
const before = new Date(timestamp.getTime() - 1);
const byOwner = { kind: 'owner', id: owner.id, name: owner.name };
const bySchedule = { kind: 'schedule', id: '', name: '' };
const updated = { status: 'updated' };

async function call<T = Values>(name: string, input: Values): Promise<T> {
  const { status, body } = await app.post(`/trpc/${name}`, { key: token, body: { json: input } });
  expect([name, status, body]).toEqual([name, 200, expect.anything()]);
  return (body as { result: { data: { json: T } } }).result.data.json;
}

async function addDraft(collection: ScheduledCollection): Promise<string> {
  const required = Object.entries(allResources[collection].fields).filter(([, field]) => field.required);
  const examples = required.map(([name, { input }]) => [name, exampleOf(toJsonSchema(input))]);
  const values = { ...Object.fromEntries(examples), is_draft: true };
  return (await call<{ id: string }>(`studio.${collection}.create`, values)).id;
}

test.each(scheduledCollections)(
  '%s: a scheduled draft is published at its time and not 1 ms earlier, as a revision by the schedule',
  async (collection) => {
    const id = await addDraft(collection);
    expect(await call(`studio.${collection}.schedule`, { id, publish_at: timestamp.toISOString() })).toEqual(
      updated,
    );
    expect(await rowOf(collection, id)).toMatchObject({ publish_at: timestamp, is_draft: true, revision: 2 });
    const fired = await eventsOf(id);
    expect(await publishAt(before, collection)).toBe(0);
    expect(await publishAt(timestamp, collection)).toBe(1);
    expect(await publishAt(timestamp, collection)).toBe(0);
    const dated = 'published_at' in allResources[collection].fields;
    expect(await rowOf(collection, id)).toMatchObject({
      publish_at: null,
      is_draft: false,
      is_public: true,
      revision: 3,
      updated: timestamp,
      ...(dated && { published_at: timestamp }),
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

test('every resource that has drafts can be scheduled, and no other', () => {
  const served = calls.flatMap(({ title }) => /^RPC studio\.(\w+)\.schedule$/.exec(title)?.[1] ?? []);
  expect(served.toSorted()).toEqual(scheduledCollections.toSorted());
  expect(scheduledCollections).not.toContain('skills');
});

test('the owner can read the scheduled time of a draft, also in lists', async () => {
  const id = await addPost();
  expect(await studio.posts.get.query({ id })).toMatchObject({ publish_at: null });
  await schedule(id);
  expect(await studio.posts.get.query({ id })).toMatchObject({ publish_at: timestamp, is_draft: true });
  const { items } = await studio.posts.list.query();
  expect(items.find((post) => post.id === id)).toMatchObject({ publish_at: timestamp });
  expect(await studio.posts.getRevision.query({ id, revision: 1 })).toMatchObject({ publish_at: null });
  await schedule(id, null);
  expect(await studio.posts.get.query({ id })).toMatchObject({ publish_at: null, is_draft: true });
  expect(await studio.posts.getRevision.query({ id, revision: 2 })).toMatchObject({ publish_at: timestamp });
});

test('v1, v2, tools and events never contain the scheduled time of a draft, and v1 cannot write it', async () => {
  const id = await addPost({ title: 'Unseen' });
  await schedule(id);
  await using assistant = await connectAssistant(app, key);
  const draft = await assistant.callTool('get_draft', { collection: 'posts', id });
  const drafts = await assistant.callTool('list_drafts', { collection: 'posts' });
  expect(JSON.stringify(draft)).toContain('Unseen');
  const seen: unknown[] = [draft, drafts];
  for (const write of [{ id, publish_at: timestamp }])
    expect((await app.patch(`/api/v1/posts/${id}`, { key, body: write })).status).toBe(400);
  await publishAt(timestamp);
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

test('scheduling for a time in the past publishes immediately', async () => {
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

test('scheduling or unscheduling a published record is refused with a message that only drafts can be scheduled', async () => {
  const id = await addPost({ is_draft: false });
  const refused = { code: 'validation_failed', message: 'publish_at: can be set only for drafts' };
  expect(await refusal(schedule(id))).toEqual(refused);
  expect(await refusal(schedule(id, null))).toEqual(refused);
  expect(await refusal(schedule('a'.repeat(15)))).toMatchObject({ code: 'not_found' });
  expect(await refusal(schedule(id, 'tomorrow'))).toMatchObject({ code: 'validation_failed' });
  expect(await historyOf('posts', id)).toHaveLength(1);
});

test('another site cannot schedule a draft', async () => {
  const id = await addPost();
  const other = await app.seed.ownerToken(await app.seed.site());
  const foreign = ownerClient(app.baseUrl, other).studio;
  expect(await refusal(foreign.posts.schedule.mutate({ id, publish_at: timestamp }))).toMatchObject({
    code: 'not_found',
  });
  expect(await rowOf('posts', id)).toMatchObject({ publish_at: null, revision: 1 });
});

test('repeating the same scheduled time writes nothing; If-Match with another revision is refused', async () => {
  const id = await addPost();
  const under = (tag: string, publish_at: Date | null) =>
    app.post('/trpc/studio.posts.schedule', {
      key: token,
      body: { json: { id, publish_at } },
      headers: { 'if-match': tag },
    });
  expect((await under('"2-x"', timestamp)).status).toBe(412);
  expect((await under('"1-x"', timestamp)).headers.get('etag')).toMatch(/^"2-/);
  expect((await under('"2-x"', timestamp)).headers.get('etag')).toMatch(/^"2-/);
  expect((await under('"2-x"', null)).headers.get('etag')).toMatch(/^"3-/);
  expect((await under('"3-x"', null)).headers.get('etag')).toMatch(/^"3-/);
});
