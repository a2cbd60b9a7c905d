import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createSubscription } from '../../server/events/webhooks/subscriptions.ts';
import { webhookLimits as webhooks } from '../../shared/contract/features/webhooks.ts';
import { createSecretBox } from '../../shared/runtime/secret-box.ts';
import { prune } from '../../worker/jobs/prune.ts';
import { startCountingReceiver } from '../support/counting-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { anyId, anyTimestamp } from '../support/matchers.ts';
import { createCertificate, startReceiver } from '../support/tls-receiver.ts';
import { settledLog, startWebhookSite } from '../support/webhook-site.ts';
import { startTestWorker } from '../support/worker.ts';

const day = Array.from({ length: 5 }, () => 86_400);

test('a created post is delivered to its subscriber, signed over the exact bytes sent', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id, secret } = await site.subscribe(receiver.url);
  const { body: post } = await site.write('Hé "llo" %s \u2028');
  const [request] = await eventually(() => receiver.requests.length > 0 && receiver.requests);
  const body = request?.body.toString() ?? '';
  expect(JSON.parse(body)).toEqual({
    event: 'content.created',
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    data: {
      id: (post as { id: string }).id,
      collection: 'posts',
      title: 'Hé "llo" %s \u2028',
      slug: 'he-llo-s',
    },
  });
  expect(request).toMatchObject({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhook/1.0',
      'x-service-event': 'content.created',
      'x-service-delivery': anyId,
      'x-service-signature': `sha256=${createHmac('sha256', secret)
        .update(request?.body ?? '')
        .digest('hex')}`,
    },
  });
  new Webhook(secret).verify(body, request?.headers as Record<string, string>);
  expect(await settledLog(site, id)).toEqual([
    {
      id: request?.headers['x-service-delivery'],
      event: 'content.created',
      status: 'delivered',
      attempt_count: 1,
      last_status_code: 200,
      error: null,
      created: anyTimestamp,
      updated: anyTimestamp,
      next_attempt_at: null,
    },
  ]);
});

test('a subscription that is activated while a write waits for its slug receives the event', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  await site.change(id, { active: false });
  const other = site.deps.database.em.fork();
  await other.begin();
  await other.execute(`select lock_slug('posts', ?, 'waits')`, [await site.seed.ownSite()]);
  await other.execute('update webhook_subscriptions set active = true');
  const written = site.write('Waits');
  const waiting = `select 1 from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where l.locktype = 'advisory' and not l.granted`;
  await eventually(async () => (await site.deps.database.em.fork().execute(waiting)).length === 1);
  await other.commit();
  expect((await written).status).toBe(201);
  await eventually(() => receiver.requests.length === 1);
  expect(await settledLog(site, id)).toEqual([
    expect.objectContaining({ event: 'content.created', status: 'delivered' }),
  ]);
});

test('a polled event and its delivery have equal content', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  await settledLog(site, id);
  const { body } = await site.get('/api/v1/webhooks/poll/content.created', { key: await site.seed.key() });
  const { events } = body as { events: { id: string }[] };
  expect(events.map(({ id: _, ...event }) => event)).toEqual([
    JSON.parse(String(receiver.requests[0]?.body)),
  ]);
});

test('each matching subscription of the site receives an event once, others none', async () => {
  await using one = await startReceiver();
  await using site = await startWebhookSite(one.ca);
  await using _worker = await startTestWorker(site);
  const both = await Promise.all([
    site.subscribe(one.url),
    site.subscribe(one.url, ['content.created', 'content.deleted']),
  ]);
  const off = await site.subscribe(one.url);
  await site.change(off.id, { active: false });
  const other = await site.subscribe(one.url, ['content.updated']);
  await site.write('Hello');
  for (const { id } of both) expect(await settledLog(site, id)).toHaveLength(1);
  expect([await site.log(off.id), await site.log(other.id)]).toEqual([[], []]);
  expect(one.requests).toHaveLength(2);
});

test('a subscription for some collections receives only their content events, and every other event', async () => {
  await using receiver = await startReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const events = ['content.created', 'newsletter.subscribe'];
  const { id } = await site.subscribe(receiver.url, events, { collections: ['projects'] });
  await site.write('A post');
  await site.post('/api/v1/projects', { key: site.key, body: { title: 'A project' } });
  const subscriber = { json: { email: 'grace@example.com' } };
  await site.post('/trpc/site.newsletter.subscribe', { body: subscriber });
  await settledLog(site, id, 2);
  const collections = receiver.requests.map(({ body }) => JSON.parse(String(body)).data.collection);
  expect(collections.toSorted()).toEqual(['projects', 'subscribers']);
});

test('a failing receiver gets six attempts, never earlier than scheduled, and then no more', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 503);
  await using site = await startWebhookSite(receiver.ca);
  const retrySeconds = [0.3, 0.6, 0.2, 0.5, 0.1];
  await using _worker = await startTestWorker(site, { retrySeconds });
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  expect(await settledLog(site, id)).toMatchObject([
    {
      status: 'failed',
      attempt_count: 6,
      last_status_code: 503,
      error: 'http_status',
      next_attempt_at: null,
    },
  ]);
  const { arrivals } = receiver;
  const waits = arrivals.slice(1).map(({ atMs }, n) => (atMs - (arrivals[n]?.atMs ?? 0)) / 1_000);
  expect(waits).toHaveLength(5);
  waits.forEach((wait, n) => {
    expect(wait).toBeGreaterThanOrEqual(retrySeconds[n] ?? Number.NaN);
  });
  expect(new Set(arrivals.map(({ delivery }) => delivery)).size).toBe(1);
  expect(await site.subscription(id)).toMatchObject({ active: true, consecutive_failures: 6 });
});

test('the log shows a delivery as pending, retrying and delivered', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => null);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  const [first] = await Promise.all([receiver.nextArrival(), site.write('Hello')]);
  expect(await site.log(id)).toMatchObject([
    {
      id: first.delivery,
      status: 'pending',
      attempt_count: 1,
      last_status_code: null,
      error: null,
      next_attempt_at: null,
    },
  ]);
  receiver.answerWith(() => 200);
  receiver.letGo();
  expect(await settledLog(site, id)).toMatchObject([{ status: 'delivered', last_status_code: 200 }]);
  const failing = await site.subscribe(receiver.url.replace(/:\d+/, ':1'));
  await site.write('Nobody listens');
  const [waiting] = await eventually(async () => {
    const log = await site.log(failing.id);
    return log[0]?.status === 'retrying' && log;
  });
  expect(waiting).toMatchObject({
    attempt_count: 1,
    last_status_code: null,
    error: 'connection_failed',
    next_attempt_at: anyTimestamp,
  });
});

test('deactivating a subscription cancels waiting and running deliveries; activating it sends only new events', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => (receiver.arrivals.length === 0 ? 500 : null));
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  await site.write('fails');
  await eventually(async () => (await site.log(id))[0]?.status === 'retrying');
  await Promise.all([receiver.nextArrival(), site.write('hangs')]);
  await site.change(id, { active: false });
  receiver.letGo();
  const cancelled = { status: 'cancelled', attempt_count: 1, next_attempt_at: null };
  expect(await site.log(id)).toMatchObject([cancelled, cancelled]);
  await site.write('not told');
  receiver.answerWith(() => 200);
  await site.change(id, { active: true });
  await site.write('told');
  expect(await settledLog(site, id, 3)).toMatchObject([{ status: 'delivered' }, cancelled, cancelled]);
  expect(receiver.arrivals.map(({ title }) => title)).toEqual(['fails', 'hangs', 'told']);
});

test('deleting a subscription ends its deliveries', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  await site.write('fails');
  await eventually(async () => (await site.log(id))[0]?.status === 'retrying');
  await site.drop(id);
  const rows = await site.deps.database.em.execute('select status, due_at from webhook_deliveries');
  expect(rows).toEqual([{ status: 'cancelled', due_at: null }]);
});

test('a success resets the failure count: only ten in a row deactivate a subscription', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  const attempt = async (status: number) => {
    receiver.answerWith(() => status);
    const before = (await site.log(id)).length;
    await site.write('x');
    await eventually(async () => {
      const [newest, ...rest] = await site.log(id);
      return rest.length === before && newest?.last_status_code === status;
    });
  };
  for (let n = 0; n < 9; n++) await attempt(500);
  expect(await site.subscription(id)).toMatchObject({ active: true, consecutive_failures: 9 });
  await attempt(204);
  expect(await site.subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 });
  for (let n = 0; n < 10; n++) await attempt(404);
  expect(await site.subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 });
  const statuses = (await site.log(id)).map(({ status }) => status);
  expect(statuses.filter((status) => status !== 'delivered')).toEqual(Array(19).fill('cancelled'));
  await site.change(id, { active: true });
  await attempt(200);
  expect(await site.subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 });
});

test('a hanging receiver does not delay others, and has at most ten attempts in flight', async () => {
  const certificate = await createCertificate();
  await using hanging = await startCountingReceiver(certificate);
  hanging.answerWith(() => null);
  await using swift = await startCountingReceiver(certificate);
  await using site = await startWebhookSite(certificate.cert);
  const slow = await site.subscribe(hanging.url);
  const quick = await site.subscribe(swift.url);
  for (let n = 0; n < 30; n++) await site.write(`event ${n}`);
  await using _worker = await startTestWorker(site);
  expect(await settledLog(site, quick.id, 30)).toHaveLength(30);
  expect(swift.arrivals).toHaveLength(30);
  const begun = (log: { attempt_count: number }[]) => log.filter(({ attempt_count }) => attempt_count === 1);
  const log = await eventually(async () => {
    const log = await site.log(slow.id);
    return begun(log).length >= 10 && log;
  });
  expect(log.map(({ status }) => status)).toEqual(Array(30).fill('pending'));
  expect(begun(log)).toHaveLength(10);
  await site.change(slow.id, { active: false });
  hanging.letGo();
});

test('a site with a hundred hanging receivers has a hundred attempts in flight, and does not delay other sites', async () => {
  const certificate = await createCertificate();
  await using hanging = await startCountingReceiver(certificate);
  hanging.answerWith(() => null);
  await using swift = await startCountingReceiver(certificate);
  await using site = await startWebhookSite(certificate.cert);
  const [siteId, otherId] = [await site.seed.ownSite(), await site.seed.site()];
  const subscribe = (siteId: string, url: string) =>
    createSubscription(site.deps, { siteId, byKey: false }, { url, events: ['content.created'] });
  for (let n = 0; n < webhooks.subscriptionsPerSite; n++) await subscribe(siteId, hanging.url);
  for (let n = 0; n < 10; n++) await site.write(`event ${n}`);
  await using _worker = await startTestWorker(site);
  const begun = async () =>
    (await site.deps.database.em.execute('select id from webhook_deliveries where attempt_count > 0')).length;
  await eventually(async () => (await begun()) === 100);
  await subscribe(otherId, swift.url);
  const key = await site.seed.key({ siteId: otherId });
  await site.post('/api/v1/posts', { key, body: { title: 'Elsewhere' } });
  await eventually(() => swift.arrivals.length === 1);
  expect(await begun()).toBe(101);
  await site.deps.database.em.execute('update webhook_subscriptions set active = false');
  hanging.answerWith(() => 200);
  hanging.letGo();
});

test('a delivery whose secret cannot be decrypted is retried on schedule and does not count as a failure of the receiver', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  const secrets = createSecretBox('another secret key', site.deps.randomBytes);
  {
    await using _worker = await startTestWorker(site, { secrets, retrySeconds: day });
    await eventually(async () => (await site.log(id))[0]?.status === 'retrying');
    expect(await site.log(id)).toMatchObject([
      { attempt_count: 1, last_status_code: null, error: 'secret_unreadable' },
    ]);
  }
  expect(await site.subscription(id)).toMatchObject({ active: true, consecutive_failures: 0 });
  await site.deps.database.em.execute('update webhook_deliveries set due_at = now()');
  await using _mended = await startTestWorker(site);
  expect(await settledLog(site, id)).toMatchObject([{ status: 'delivered', attempt_count: 2 }]);
  expect(receiver.arrivals).toHaveLength(1);
});

test('pruning deletes old events, except those with a pending delivery', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(({ title }) => (title === 'waits' ? 500 : 200));
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  {
    await using _worker = await startTestWorker(site, { retrySeconds: day });
    await site.write('delivered');
    await settledLog(site, id);
    await site.write('waits');
    await eventually(async () => (await site.log(id))[0]?.status === 'retrying');
  }
  await site.write('not fanned out');
  const { em } = site.deps.database;
  await em.execute(`update events set occurred_at = occurred_at - interval '8 days'`);
  await prune(site.deps.database, new Date());
  const left = await em.execute(`select body::json -> 'data' ->> 'title' as title from events order by 1`);
  expect(left).toEqual([{ title: 'not fanned out' }, { title: 'waits' }]);
  receiver.answerWith(() => 200);
  await em.execute('update webhook_deliveries set due_at = now() where due_at is not null');
  await using _worker = await startTestWorker(site);
  await eventually(async () => {
    const open = await em.execute(`select id from webhook_deliveries where status <> 'delivered'`);
    const all = await em.execute('select id from webhook_deliveries');
    return all.length === 3 && open.length === 0;
  });
  await prune(site.deps.database, new Date());
  expect(await em.execute('select id from events')).toEqual([]);
});
