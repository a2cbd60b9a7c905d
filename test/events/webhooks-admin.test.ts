import { expect, test } from 'vitest';
import { eventNames } from '../../shared/contract/events.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { resolving } from '../support/fixed-dns.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';

const at = '/api/admin/webhooks';
const start = '2026-01-31 09:05:00.123Z';
const url = 'https://hooks.example.com/creator?x=1';
const updated = { status: 200, body: { status: 'updated' } };
const lookup = resolving({
  'hooks.example.com': ['93.184.215.14'],
  'inside.example.com': ['93.184.215.14', '10.0.0.7'],
});

interface Made {
  id: string;
  secret: string;
}

async function startSite() {
  const app = await startApp({ webhooks: { lookup } });
  const key = await app.seed.ownerToken();
  const create = (body: object) => app.post(at, { key, body: { url, events: ['content.created'], ...body } });
  return Object.assign(app, { token: key, create });
}

const listed = async (app: TestApp, key: string) =>
  ((await app.get(at, { key })).body as { data: object[] }).data;

test('creating returns 201 with a generated secret, which no list shows', async () => {
  await using app = await startSite();
  const created = await app.create({ events: ['content.created', 'purchase.completed', 'content.created'] });
  const shown = {
    id: anyId,
    url,
    events: ['content.created', 'purchase.completed'],
    active: true,
    created: start,
  };
  expect(created).toEqual({
    status: 201,
    body: { ...shown, secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/) },
  });
  expect(await app.get(at, { key: app.token })).toEqual({
    status: 200,
    body: { data: [{ ...shown, consecutive_failures: 0, updated: start }] },
  });
});

test('a secret can be given; null or a missing one generates a new secret each time', async () => {
  await using app = await startSite();
  const given = await app.create({ secret: 'a-secret-of-mine-1' });
  expect((given.body as Made).secret).toBe('a-secret-of-mine-1');
  const generated = [await app.create({ secret: null }), await app.create({})];
  expect(new Set(generated.map(({ body }) => (body as Made).secret)).size).toBe(2);
});

test('a secret is any text of 16 to 256 UTF-16 code units', async () => {
  await using app = await startSite();
  for (const secret of ['пароль для вебхуков\n', '🎉'.repeat(8), '🎉'.repeat(128), ' '.repeat(16)]) {
    expect(await app.create({ secret })).toMatchObject({ status: 201, body: { secret } });
  }
});

test('an owner can subscribe a webhook to each of the nine events by name, and to no wildcard', async () => {
  await using app = await startSite();
  expect(eventNames).toHaveLength(9);
  expect(await app.create({ events: eventNames })).toMatchObject({
    status: 201,
    body: { events: eventNames },
  });
  for (const pattern of ['*', 'content.*', 'course.*', 'payment.*', 'member.*', 'analytics.*']) {
    expect(await app.create({ events: [pattern] }), pattern).toEqual(
      failure(400, 'validation_failed', expect.stringContaining('events.0')),
    );
  }
});

const badSettings: [what: string, body: object, names: string][] = [
  ['no URL', { url: undefined }, 'url'],
  ['an empty URL', { url: '' }, 'url'],
  ['a URL that is no string', { url: 7 }, 'url'],
  ['a URL over 2,000 characters', { url: `https://hooks.example.com/${'x'.repeat(2_000)}` }, 'url'],
  ['plain http', { url: 'http://hooks.example.com/' }, 'url: must start with https://'],
  ['a relative URL', { url: '/hook' }, 'url: must start with https://'],
  ['a user name', { url: 'https://u:p@hooks.example.com/' }, 'url: must not contain a user name'],
  ['a loopback address', { url: 'https://127.0.0.1/' }, 'url: must not resolve to a private'],
  ['a loopback address in decimal', { url: 'https://2130706433/' }, 'url: must not resolve to a private'],
  ['a loopback address of IPv6', { url: 'https://[::1]/' }, 'url: must not resolve to a private'],
  ['a private address', { url: 'https://10.1.2.3/' }, 'url: must not resolve to a private'],
  ['a link-local address', { url: 'https://169.254.169.254/' }, 'url: must not resolve to a private'],
  ['an address of a cloud platform', { url: 'https://168.63.129.16/' }, 'url: must not resolve to a private'],
  ['localhost', { url: 'https://localhost/' }, 'url: must not resolve to a private'],
  [
    'a name with one private address',
    { url: 'https://inside.example.com/' },
    'url: must not resolve to a private',
  ],
  ['no events', { events: undefined }, 'events'],
  ['an empty list of events', { events: [] }, 'events'],
  ['an unknown event', { events: ['content.created', 'content.read'] }, 'events.1'],
  ['the test event', { events: ['test'] }, 'events.0'],
  ['an event in capitals', { events: ['Content.Created'] }, 'events.0'],
  ['a short secret', { secret: 'x'.repeat(15) }, 'secret'],
  ['a long secret', { secret: 'x'.repeat(257) }, 'secret'],
  ['a secret with a NUL character', { secret: 'sixteen\0characters' }, 'secret'],
  ['a secret with half of a character', { secret: `sixteen characters\ud83c` }, 'secret'],
  ['a secret of 258 UTF-16 units in 129 characters', { secret: '🎉'.repeat(129) }, 'secret'],
  ['a field that is not listed', { headers: {} }, 'headers'],
];

test('a subscription with invalid settings is refused with validation_failed and the field', async () => {
  await using app = await startSite();
  const { id } = (await app.create({})).body as Made;
  for (const [what, settings, named] of badSettings) {
    const refusal = failure(400, 'validation_failed', expect.stringContaining(named));
    expect(await app.create(settings), what).toEqual(refusal);
    if (Object.values(settings).includes(undefined)) continue;
    const patched = await app.patch(`${at}/${id}`, { key: app.token, body: settings });
    expect(patched, `PATCH ${what}`).toEqual(refusal);
  }
  expect(await listed(app, app.token)).toMatchObject([{ id, url }]);
});

test('a host name that does not resolve yet is accepted', async () => {
  await using app = await startSite();
  expect(await app.create({ url: 'https://not-yet.example.com/' })).toMatchObject({ status: 201 });
});

test('a site has at most 100 subscriptions, also with concurrent requests, independent of other sites', async () => {
  await using app = await startSite();
  for (let n = 0; n < 99; n += 11) await Promise.all(Array.from({ length: 11 }, () => app.create({})));
  const last = await Promise.all([app.create({}), app.create({})]);
  expect(last.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect(await app.create({})).toEqual(
    failure(400, 'validation_failed', 'a site has at most 100 webhook subscriptions'),
  );
  const other = await app.seed.ownerToken(await app.seed.site());
  expect((await app.post(at, { key: other, body: { url, events: ['content.created'] } })).status).toBe(201);
  const [newest] = (await listed(app, app.token)) as Made[];
  await app.delete(`${at}/${newest?.id}`, { key: app.token });
  expect((await app.create({})).status).toBe(201);
});

test('an update changes only the given fields, and an empty one nothing', async () => {
  await using app = await startSite();
  const { secret: _, ...made } = (await app.create({})).body as Made;
  const patch = (body: object) => app.patch(`${at}/${made.id}`, { key: app.token, body });
  const before = { ...made, consecutive_failures: 0, updated: start };
  app.clock.advance({ seconds: 1 });
  expect(await patch({})).toEqual(updated);
  expect(await listed(app, app.token)).toEqual([before]);
  expect(await patch({ url: 'https://not-yet.example.com/' })).toEqual(updated);
  const after = { ...before, url: 'https://not-yet.example.com/', updated: '2026-01-31 09:05:01.123Z' };
  expect(await listed(app, app.token)).toEqual([after]);
  expect(await patch({ events: ['course.completed'], active: false })).toEqual(updated);
  // The test clock does not advance, and each write gets its own millisecond.
  const again = { events: ['course.completed'], active: false, updated: '2026-01-31 09:05:01.124Z' };
  expect(await listed(app, app.token)).toEqual([{ ...after, ...again }]);
});

test('only an update with active: true resets the failures of a subscription, even if it is active already', async () => {
  await using app = await startSite();
  const { id } = (await app.create({})).body as Made;
  const patch = (body: object) => app.patch(`${at}/${id}`, { key: app.token, body });
  const fail = () =>
    app.deps.database.em.execute(
      'update webhook_subscriptions set failed_began = array[1, 2, 3, 4, 5, 6, 7]',
    );
  await fail();
  await patch({ url });
  await patch({ active: false });
  expect(await listed(app, app.token)).toMatchObject([{ active: false, consecutive_failures: 7 }]);
  await patch({ active: true });
  expect(await listed(app, app.token)).toMatchObject([{ active: true, consecutive_failures: 0 }]);
  await fail();
  await patch({ active: true });
  expect(await listed(app, app.token)).toMatchObject([{ active: true, consecutive_failures: 0 }]);
});

test('an admin update keeps the wildcard of a v2 registration', async () => {
  await using app = await startSite();
  const key = await app.seed.key({ scopes: ['webhooks'] });
  const { id } = (await app.post('/api/v2/webhooks', { key, body: { url, events: ['*'] } })).body as Made;
  await app.patch(`${at}/${id}`, { key: app.token, body: { active: false } });
  expect(await listed(app, app.token)).toMatchObject([{ id, events: ['*'], active: false }]);
});

test('deleting a subscription deletes its deliveries', async () => {
  await using app = await startSite();
  const { id } = (await app.create({})).body as Made;
  const own = { key: app.token };
  expect(await app.delete(`${at}/${id}`, own)).toEqual({ status: 200, body: { status: 'deleted' } });
  expect(await app.delete(`${at}/${id}`, own)).toEqual(failure(404, 'not_found'));
  expect(await app.get(`${at}/${id}/deliveries`, own)).toEqual(failure(404, 'not_found'));
  expect(await listed(app, app.token)).toEqual([]);
});

test("an unknown or malformed id and another site's subscription return not_found and change nothing", async () => {
  await using app = await startSite();
  const other = await app.seed.ownerToken(await app.seed.site());
  const foreign = await app.post(at, { key: other, body: { url, events: ['content.created'] } });
  const before = await listed(app, other);
  expect(await listed(app, app.token)).toEqual([]);
  for (const id of ['mb3k9x2a7f0q1zd', 'x', (foreign.body as Made).id]) {
    for (const call of [
      app.patch(`${at}/${id}`, { key: app.token, body: { active: false } }),
      app.patch(`${at}/${id}`, { key: app.token, body: {} }),
      app.delete(`${at}/${id}`, { key: app.token }),
      app.post(`${at}/${id}/test`, { key: app.token }),
      app.get(`${at}/${id}/deliveries`, { key: app.token }),
    ]) {
      expect(await call, id).toEqual(failure(404, 'not_found'));
    }
  }
  expect(await listed(app, other)).toEqual(before);
});

test('v2 registers event names and wildcards, for a key with write:webhooks or webhooks', async () => {
  await using app = await startSite();
  const events = ['content.created', 'analytics.*', 'member.*', 'payment.*', 'content.*', 'course.*', '*'];
  for (const scope of ['write:webhooks', 'webhooks'] as const) {
    const key = await app.seed.key({ scopes: [scope] });
    expect(await app.post('/api/v2/webhooks', { key, body: { url, events } })).toEqual({
      status: 201,
      body: {
        id: anyId,
        url,
        events,
        active: true,
        secret: expect.stringMatching(/^whsec_[0-9A-Za-z+/]{43}=$/),
        created: start,
      },
    });
  }
  const reader = await app.seed.key({ scopes: ['read', 'write'] });
  expect(await app.post('/api/v2/webhooks', { key: reader, body: { url, events } })).toEqual(
    failure(403, 'insufficient_scope'),
  );
});

test('v2 refuses the same settings as the admin API, and unknown wildcards', async () => {
  await using app = await startSite();
  const key = await app.seed.key({ scopes: ['webhooks'] });
  const bad = [...badSettings, ['an unknown wildcard', { events: ['user.*'] }, 'events.0'] as const];
  for (const [what, settings, named] of bad) {
    const body = { url, events: ['content.created'], ...settings };
    expect(await app.post('/api/v2/webhooks', { key, body }), what).toEqual(
      failure(400, 'validation_failed', expect.stringContaining(named)),
    );
  }
});

test.each([
  'drop schema graphile_worker cascade',
  'drop table webhook_subscriptions',
  'drop table webhook_deliveries',
  'drop table webhook_attempts',
])(
  'after %s every webhook operation returns webhooks_not_provisioned to authorized callers',
  async (statement) => {
    await using app = await startSite();
    const key = await app.seed.key({ scopes: ['webhooks'] });
    await app.deps.database.em.execute(statement);
    const id = 'mb3k9x2a7f0q1zd';
    const own = { key: app.token };
    for (const call of [
      app.post('/api/v2/webhooks', { key, body: { url, events: ['*'] } }),
      app.create({}),
      app.get(at, own),
      app.patch(`${at}/${id}`, { ...own, body: {} }),
      app.delete(`${at}/${id}`, own),
      app.post(`${at}/${id}/test`, own),
      app.get(`${at}/${id}/deliveries`, own),
      app.get(`${at}/${id}/deliveries/${id}`, own),
      app.post(`${at}/${id}/deliveries/${id}/redeliver`, own),
      app.post(`${at}/${id}/replay`, { ...own, body: { since: start } }),
      app.post(`${at}/${id}/rotate-secret`, own),
      app.get('/api/v2/webhooks', { key }),
      app.delete(`/api/v2/webhooks/${id}`, { key }),
    ]) {
      expect(await call).toEqual(failure(503, 'webhooks_not_provisioned'));
    }
    expect(await app.get(at)).toEqual(failure(401, 'unauthorized'));
    expect((await app.get('/api/v1/posts', { key: await app.seed.key() })).status).toBe(200);
  },
);

test('deleting a subscription cancels its waiting deliveries, in several statements if there are many', async () => {
  await using app = await startSite();
  const siteId = await app.seed.ownSite();
  const { id } = (await app.create({})).body as Made;
  const em = app.deps.database.em.fork();
  await em.execute(
    `insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit,
       in_replay, due_at, created, updated)
     select ?, 'd' || n, ?, 'e' || n, 'content.created', 'pending', 0, 6, false, now(), now(), now() from generate_series(1, 20001) n`,
    [siteId, id],
  );
  expect(await app.delete(`${at}/${id}`, { key: app.token })).toMatchObject({ status: 200 });
  const statements = await em.execute(
    `select status, due_at, count(*)::int as deliveries from webhook_deliveries where subscription_id = ?
     group by status, due_at, cmin::text order by deliveries`,
    [id],
  );
  expect(statements).toEqual([
    { status: 'cancelled', due_at: null, deliveries: 1 },
    { status: 'cancelled', due_at: null, deliveries: 20_000 },
  ]);
});

test('deleting a subscription also cancels deliveries that a concurrent transaction updates', async () => {
  await using app = await startSite();
  const siteId = await app.seed.ownSite();
  const { id } = (await app.create({})).body as Made;
  const em = app.deps.database.em.fork();
  await em.execute(
    `insert into webhook_deliveries (site_id, id, subscription_id, event_id, event, status, attempt_count, attempt_limit,
       in_replay, due_at, created, updated)
     values (?, 'd', ?, 'e', 'content.created', 'retrying', 1, 6, false, now(), now(), now())`,
    [siteId, id],
  );
  await em.begin();
  await em.execute(`update webhook_deliveries set due_at = now() where id = 'd'`);
  const removed = app.delete(`${at}/${id}`, { key: app.token });
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await eventually(async () => (await app.deps.database.em.fork().execute(waiting)).length > 0);
  await em.commit();
  expect(await removed).toMatchObject({ status: 200 });
  expect(await em.execute('select status, due_at from webhook_deliveries')).toEqual([
    { status: 'cancelled', due_at: null },
  ]);
});
