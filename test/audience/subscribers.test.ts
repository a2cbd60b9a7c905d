import { expect, test } from 'vitest';
import { getMailKey, suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { startApp, type TestAppOptions } from '../support/app.ts';
import { startMailServer } from '../support/mail-server.ts';
import { anyId } from '../support/matchers.ts';
import { ownerClient, refusal, visitorClient } from '../support/rpc.ts';
import { recordStatements } from '../support/statements/record.ts';

// Subscribers, as owners and their programs add, change and delete them.

const email = 'grace@example.com';

async function startSite(options: Partial<TestAppOptions> = {}) {
  const mail = await startMailServer();
  const app = await startApp({ smtpUrl: mail.url, ...options });
  const siteId = await app.seed.ownSite();
  const key = await app.seed.key({ siteId, scopes: ['read:subscribers', 'write:subscribers'] });
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken(siteId));
  const run = <Row>(text: string, values: unknown[] = []) =>
    app.deps.database.em.fork().execute<Row[]>(text, values);
  const path = '/api/v2/subscribers';
  return {
    ...app,
    siteId,
    key,
    studio,
    run,
    add: (body: object) => app.post(path, { key, body }),
    read: async (query = '') => (await app.get(`${path}${query}`, { key })).body,
    change: (id: string, body: object) => app.patch(`${path}/${id}`, { key, body }),
    remove: (id: string) => app.delete(`${path}/${id}`, { key }),
    /** Returns the addresses with a queued confirmation email. */
    asked: async () =>
      (
        await run<{ email: string }>(
          `select s.email from graphile_worker._private_jobs j
           join subscribers s on s.id = j.payload ->> 'subscriber_id' where j.payload ->> 'asked_at' is not null order by j.id`,
        )
      ).map(({ email: address }) => address),
    events: async () => (await run(`select id from events where name = 'newsletter.subscribe'`)).length,
    suppressions: () => run<{ reason: string }>('select reason from suppressions'),
    async suppress(reason: string, address = email) {
      const hash = suppressionHash(await getMailKey(app.deps, siteId), address);
      await run(`insert into suppressions (site_id, email_hash, reason, created) values (?, ?, ?, now())`, [
        siteId,
        hash,
        reason,
      ]);
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await mail.close();
    },
  };
}

const idOf = ({ body }: { body: unknown }) => (body as { id: string }).id;
const created = (status: string) => ({
  status: 201,
  body: { id: anyId, status, created: expect.any(String) },
});

test('a subscriber that a key adds is pending and gets a confirmation email, without an event', async () => {
  await using site = await startSite();
  const answer = await site.add({ email: 'Grace@Example.com', name: 'Grace', source: 'fair' });
  expect(answer).toMatchObject(created('pending'));
  expect([await site.asked(), await site.events()]).toEqual([[email], 0]);
  expect(await site.read()).toMatchObject({
    items: [
      { id: idOf(answer), email, name: 'Grace', source: 'fair', status: 'pending', confirmed_at: null },
    ],
    total: 1,
  });
});

test('a subscriber with a confirmation date is active immediately, with an event and without a confirmation email', async () => {
  await using site = await startSite();
  const answer = await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' });
  expect(answer).toMatchObject(created('active'));
  expect([await site.asked(), await site.events()]).toEqual([[], 1]);
  const one = (await site.get(`/api/v2/subscribers/${idOf(answer)}`, { key: site.key })).body;
  expect(one).toMatchObject({ status: 'active', confirmed_at: '2020-01-01 00:00:00.000Z', ended_at: null });
});

test('a confirmation date in the future is replaced by the current time', async () => {
  await using site = await startSite();
  await site.add({ email, confirmed_at: '2999-01-01T00:00:00Z' });
  const { items } = await site.studio.subscribers.list.query();
  expect(items[0]?.confirmed_at).toEqual(site.clock.now());
});

test('adding a pending subscriber with a confirmation date makes them active, and an active one stays active', async () => {
  await using site = await startSite();
  const first = idOf(await site.add({ email }));
  const active = await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' });
  expect([idOf(active), active]).toEqual([first, expect.objectContaining(created('active'))]);
  expect(await site.add({ email, name: 'Another' })).toMatchObject(created('active'));
  expect(await site.read()).toMatchObject({ items: [{ id: first, name: '', status: 'active' }], total: 1 });
  expect([await site.asked(), await site.events()]).toEqual([[email], 1]);
});

test.for(['bounced', 'complained'])(
  'a suppressed address (%s) is refused, with or without a confirmation date',
  async (reason) => {
    await using site = await startSite();
    await site.suppress(reason);
    for (const body of [{ email }, { email, confirmed_at: '2026-01-01T00:00:00Z' }])
      expect(await site.add(body)).toMatchObject({ status: 409, body: { error: { code: 'suppressed' } } });
    const { code } = await refusal(site.studio.subscribers.create.mutate({ email }));
    expect([code, await site.read(), await site.asked()]).toMatchObject(['suppressed', { total: 0 }, []]);
  },
);

test('a person who unsubscribed is pending, gets a confirmation email, and returns only by confirming', async () => {
  await using site = await startSite();
  const id = idOf(await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' }));
  expect(await site.change(id, { status: 'unsubscribed' })).toMatchObject({ status: 200 });
  const again = await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' });
  expect([idOf(again), again]).toEqual([id, expect.objectContaining(created('pending'))]);
  expect([await site.asked(), await site.events()]).toEqual([[email], 1]);
  expect(await site.suppressions()).toEqual([{ reason: 'unsubscribed' }]);
});

test('without a mail server a new subscriber is active immediately, and one who unsubscribed is refused', async () => {
  await using app = await startApp();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const added = await studio.subscribers.create.mutate({ email });
  expect(added.status).toBe('active');
  await studio.subscribers.update.mutate({ id: added.id, status: 'unsubscribed' });
  expect(await refusal(studio.subscribers.create.mutate({ email }))).toMatchObject({ code: 'suppressed' });
});

test('an update can change name and source and end a subscription, but never begin one', async () => {
  await using site = await startSite();
  const id = idOf(await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' }));
  expect(await site.change(id, { name: 'Grace', source: null })).toMatchObject({
    body: { status: 'updated' },
  });
  expect(await site.read()).toMatchObject({ items: [{ name: 'Grace', source: '', status: 'active' }] });
  for (const status of ['active', 'pending', 'bounced', 'complained'])
    expect(await site.change(id, { status })).toMatchObject({ status: 400 });
  await site.change(id, { status: 'unsubscribed' });
  await site.change(id, { name: 'Grace Lin' });
  expect(await site.read('?status=unsubscribed')).toMatchObject({
    items: [{ name: 'Grace Lin', ended_at: expect.any(String) }],
    total: 1,
  });
  expect(await site.read('?status=active&email=grace@example.com')).toMatchObject({ total: 0 });
});

test.for(['unsubscribed', 'bounced', 'complained'] as const)(
  'a deleted subscriber who was %s stays suppressed',
  async (status) => {
    await using site = await startSite();
    const id = idOf(await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' }));
    await site.run('update subscribers set status = ? where id = ?', [status, id]);
    expect(await site.remove(id)).toMatchObject({ status: 200, body: { status: 'deleted' } });
    expect([await site.read(), await site.suppressions()]).toMatchObject([
      { total: 0 },
      [{ reason: status }],
    ]);
    const again = await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' });
    const requested = status === 'unsubscribed';
    expect(again).toMatchObject(requested ? created('pending') : { status: 409 });
  },
);

test('a deleted subscriber who had not unsubscribed can be added again', async () => {
  await using site = await startSite();
  await site.remove(idOf(await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' })));
  expect(await site.suppressions()).toEqual([]);
  expect(await site.add({ email, confirmed_at: '2020-01-01T00:00:00Z' })).toMatchObject(created('active'));
});

test('subscribing runs the same statements for active, suppressed, pending and new addresses', async () => {
  const sent: string[] = [];
  using _recorded = recordStatements((statement) => sent.push(statement));
  await using site = await startSite({ limits: {} });
  const visitor = visitorClient(site.baseUrl).site.newsletter;
  const doneFor = async (address: string) => {
    sent.length = 0;
    await visitor.subscribe.mutate({ email: address });
    return [...sent];
  };
  await site.add({ email: 'active@example.com', confirmed_at: '2020-01-01T00:00:00Z' });
  await site.suppress('complained', 'complained@example.com');
  // Runs one call first, which opens connections that later calls reuse.
  await doneFor('first@example.com');
  const done = await doneFor('stranger@example.com');
  expect(done.filter((statement) => statement.includes('add_job'))).toHaveLength(1);
  expect(await doneFor('active@example.com')).toEqual(done);
  expect(await doneFor('complained@example.com')).toEqual(done);
  expect(await doneFor('stranger@example.com')).toEqual(done);
  expect(await site.asked()).toEqual(['first@example.com', 'stranger@example.com']);
  expect((await site.studio.subscribers.list.query({ status: 'active' })).items).toHaveLength(1);
});

test('an address gets one confirmation email in ten minutes; a pending one stays pending, a deleted one has to wait', async () => {
  await using site = await startSite({ limits: {} });
  const id = idOf(await site.add({ email }));
  expect(await site.add({ email })).toMatchObject(created('pending'));
  await site.remove(id);
  const refused = await site.add({ email });
  expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500);
  expect(await site.read()).toMatchObject({ total: 0 });
  site.clock.advance({ minutes: 10 });
  expect(await site.add({ email })).toMatchObject(created('pending'));
  expect(await site.asked()).toEqual([email]);
});

test('changes of subscribers by owners and keys are noted in the audit log', async () => {
  await using site = await startSite();
  const { id } = await site.studio.subscribers.create.mutate({ email });
  site.clock.advance({ seconds: 1 });
  await site.studio.subscribers.update.mutate({ id, name: 'Grace' });
  site.clock.advance({ seconds: 1 });
  await site.studio.subscribers.delete.mutate({ id });
  site.clock.advance({ seconds: 1 });
  const added = idOf(await site.add({ email: 'ada@example.com' }));
  const { items } = await site.studio.audit.list.query();
  expect(items.map(({ action, record_id, changed }) => [action, record_id, changed])).toEqual([
    ['v2.subscribers.create', added, []],
    ['studio.subscribers.delete', id, []],
    ['studio.subscribers.update', id, ['name']],
    ['studio.subscribers.create', id, []],
  ]);
});
