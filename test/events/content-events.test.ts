import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { resolving } from '../support/fixed-dns.ts';
import { failure } from '../support/http.ts';
import { ownerClient } from '../support/rpc.ts';

interface Recorded {
  name: string;
  data: unknown;
  waits: boolean;
}

/** Returns all logged events, oldest first. */
async function recorded(app: TestApp): Promise<Recorded[]> {
  return app.deps.database.em.execute(
    `select name, body::json -> 'data' as data, awaits_fan_out as waits from events order by occurred_at`,
  );
}

async function countJobs(app: TestApp): Promise<number> {
  const rows = await app.deps.database.em.execute<{ id: string }[]>('select id from graphile_worker.jobs');
  return rows.length;
}

const fired = (names: string[], data: unknown) => names.map((name) => ({ name, data, waits: false }));

test.each(['posts', 'projects'])(
  '%s: create, update and delete fire their events with the data at that time',
  async (collection) => {
    await using app = await startApp();
    const key = await app.seed.key();
    const { id } = (await app.post(`/api/v1/${collection}`, { key, body: { title: 'One' } })).body as {
      id: string;
    };
    await app.patch(`/api/v1/${collection}/${id}`, { key, body: { title: 'Two', slug: 'two' } });
    await app.delete(`/api/v1/${collection}/${id}`, { key });
    const [one, two] = [
      { id, collection, title: 'One', slug: 'one' },
      { id, collection, title: 'Two', slug: 'two' },
    ];
    expect(await recorded(app)).toEqual([
      ...fired(['content.created'], one),
      ...fired(['content.updated', 'content.published', 'content.deleted'], two),
    ]);
  },
);

test('pages fire the same events as posts', async () => {
  await using app = await startApp();
  const { pages } = ownerClient(app.baseUrl, await app.seed.ownerToken()).studio;
  const { id } = await pages.create.mutate({ title: 'About' });
  await pages.update.mutate({ id, content: 'x' });
  await pages.delete.mutate({ id });
  const data = { id, collection: 'pages', title: 'About', slug: 'about' };
  const names = ['content.created', 'content.updated', 'content.published', 'content.deleted'];
  expect(await recorded(app)).toEqual(fired(names, data));
});

test('other resources fire no events', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const bodies = {
    courses: { title: 'x' },
    talks: { title: 'x' },
    experience: { company: 'x', title: 'x' },
    education: { institution: 'x' },
    skills: { name: 'x' },
    certifications: { name: 'x' },
  };
  for (const [collection, body] of Object.entries(bodies)) {
    const created = await app.post(`/api/v1/${collection}`, { key, body });
    expect(created.status).toBe(201);
    const { id } = created.body as { id: string };
    expect((await app.patch(`/api/v1/${collection}/${id}`, { key, body })).status).toBe(200);
    expect((await app.delete(`/api/v1/${collection}/${id}`, { key })).status).toBe(200);
  }
  expect(await recorded(app)).toEqual([]);
});

/** Returns the events that an update of a post fires. `created` contains the values of the post before it. */
async function firedByUpdate(created: object, body: object): Promise<string[]> {
  await using app = await startApp();
  const key = await app.seed.key();
  const { id } = (await app.post('/api/v1/posts', { key, body: { title: 'x', ...created } })).body as {
    id: string;
  };
  expect((await app.patch(`/api/v1/posts/${id}`, { key, body })).status).toBe(200);
  const [first, ...rest] = await recorded(app);
  expect(first?.name).toBe('content.created');
  return rest.map(({ name }) => name);
}

const both = ['content.updated', 'content.published'];

test.each<[what: string, created: object, body: object, names: string[]]>([
  ['an empty update', {}, {}, []],
  ['an update with the values it has', {}, { title: 'x' }, both],
  ['an update of a draft', { is_draft: true }, { title: 'y' }, ['content.updated']],
  ['an update that makes a draft', {}, { is_draft: true }, ['content.updated']],
  ['an update that publishes a draft', { is_draft: true }, { is_draft: false }, both],
  ['an update of an unlisted record', { visibility: 'unlisted' }, { title: 'y' }, both],
  ['an update of a private record', { visibility: 'private' }, { title: 'y' }, both],
])('%s fires exactly the expected events', async (_what, created, body, names) => {
  expect(await firedByUpdate(created, body)).toEqual(names);
});

test('a refused write fires no event', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'x', slug: 'taken' } });
  await app.post('/api/v1/posts', { key, body: { title: 'y', slug: 'taken' } });
  await app.post('/api/v1/posts', { key, body: { title: '' } });
  await app.patch('/api/v1/posts/mb3k9x2a7f0q1zd', { key, body: { title: 'z' } });
  await app.delete('/api/v1/posts/mb3k9x2a7f0q1zd', { key });
  await app.post('/api/v1/posts', { key: await app.seed.key({ scopes: ['read'] }), body: { title: 'x' } });
  expect((await recorded(app)).map(({ name }) => name)).toEqual(['content.created']);
});

test('a write that is rolled back at commit leaves no record, event or job', async () => {
  await using app = await startApp({ webhooks: { lookup: resolving({}) } });
  const token = await app.seed.ownerToken();
  const key = await app.seed.key();
  await subscribe(app, token, ['content.created']);
  await app.deps.database.em.execute(`
    create function fail() returns trigger language plpgsql as $$ begin raise 'the disk is full'; end $$;
    create constraint trigger fail after insert on posts deferrable initially deferred for each row execute function fail()`);
  expect(await app.post('/api/v1/posts', { key, body: { title: 'x' } })).toEqual(
    failure(500, 'internal_error'),
  );
  expect([await recorded(app), await countJobs(app)]).toEqual([[], 0]);
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ body: { total: 0 } });
});

async function subscribe(app: TestApp, key: string, events: string[]): Promise<string> {
  const body = { url: 'https://hooks.example.com/', events };
  return ((await app.post('/api/admin/webhooks', { key, body })).body as { id: string }).id;
}

test('a job is queued only for an event with an active subscription of the same site', async () => {
  await using app = await startApp({ webhooks: { lookup: resolving({}) } });
  const token = await app.seed.ownerToken();
  const key = await app.seed.key();
  const jobsOfPost = async () => {
    const before = await countJobs(app);
    await app.post('/api/v1/posts', { key, body: { title: 'x' } });
    return (await countJobs(app)) - before;
  };
  expect(await jobsOfPost()).toBe(0);
  await subscribe(app, await app.seed.ownerToken(await app.seed.site()), ['content.created']);
  await subscribe(app, token, ['content.updated', 'purchase.completed']);
  expect(await jobsOfPost()).toBe(0);
  const id = await subscribe(app, token, ['content.created']);
  await subscribe(app, token, ['content.created']);
  expect(await jobsOfPost()).toBe(1);
  expect((await recorded(app)).map(({ waits }) => waits)).toEqual([false, false, true]);
  await app.patch(`/api/admin/webhooks/${id}`, { key: token, body: { active: false } });
  expect(await jobsOfPost()).toBe(1);
});

test('a wildcard of a v2 registration matches its events', async () => {
  await using app = await startApp({ webhooks: { lookup: resolving({}) } });
  const key = await app.seed.key({ scopes: ['write', 'webhooks'] });
  const jobs = [];
  for (const pattern of ['analytics.*', 'member.*', 'payment.*', 'course.*', 'content.*', '*']) {
    await app.deps.database.em.execute('delete from webhook_subscriptions');
    const body = { url: 'https://hooks.example.com/', events: [pattern] };
    expect((await app.post('/api/v2/webhooks', { key, body })).status).toBe(201);
    const before = await countJobs(app);
    await app.post('/api/v1/posts', { key, body: { title: 'x' } });
    jobs.push((await countJobs(app)) - before);
  }
  expect(jobs).toEqual([0, 0, 0, 0, 1, 1]);
});
