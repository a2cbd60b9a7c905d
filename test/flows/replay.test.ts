import { expect, test } from 'vitest';
import { prune } from '../../worker/jobs/prune.ts';
import { type CountingReceiver, startCountingReceiver } from '../support/counting-receiver.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { settledLog, startWebhookSite, type WebhookSite } from '../support/webhook-site.ts';
import { startTestWorker } from '../support/worker.ts';

// Replays of missed events to a receiver that works again.

const day = Array.from({ length: 5 }, () => 86_400);
const longAgo = '2001-01-01T00:00:00Z';

const titles = ({ arrivals }: CountingReceiver) => arrivals.map(({ title }) => title).toSorted();

/** Returns the number of deliveries per event and subscription. */
const doubles = (site: WebhookSite) =>
  site.deps.database.em.execute(
    'select event_id from webhook_deliveries group by subscription_id, event_id having count(*) > 1',
  );

/** Returns the log of a subscription that ten failures have deactivated. */
const switchedOff = (site: WebhookSite, id: string) =>
  eventually(async () => {
    const subscription = await site.subscription(id);
    return subscription && 'active' in subscription && !subscription.active && site.log(id);
  });

test('a replay sends one attempt for every event that failed, was cancelled, or occurred while the subscription was inactive', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: day });
  const { id } = await site.subscribe(receiver.url);
  await site.write('arrived');
  await settledLog(site, id);
  receiver.answerWith(() => 500);
  for (let n = 10; n < 20; n++) await site.write(`missed ${n}`);
  await switchedOff(site, id);
  await site.write('came while off');
  const sofar = receiver.arrivals.length;
  receiver.answerWith(() => 200);
  const before = await site.log(id);
  expect(await site.replay(id, { since: longAgo })).toEqual({ status: 200, body: { count: 11 } });
  const log = await settledLog(site, id, 12);
  expect(new Set(log.map(({ status }) => status))).toEqual(new Set(['delivered']));
  const missed = Array.from({ length: 10 }, (_, n) => `missed ${n + 10}`);
  const replayed = receiver.arrivals.slice(sofar);
  expect(replayed.map(({ title }) => title).toSorted()).toEqual(['came while off', ...missed]);
  const known = new Set(before.map((delivery) => delivery.id));
  const fresh = replayed.filter(({ delivery }) => !known.has(delivery));
  expect(fresh.map(({ title }) => title)).toEqual(['came while off']);
  expect(await doubles(site)).toEqual([]);
  expect(await site.subscription(id)).toMatchObject({ active: false, consecutive_failures: 10 });
  expect(await site.replay(id, { since: longAgo, status: 'failed' })).toEqual({
    status: 200,
    body: { count: 0 },
  });
});

test('a replay of all events repeats delivered ones too, under the same IDs', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  for (const title of ['one', 'two']) await site.write(title);
  await settledLog(site, id, 2);
  expect(await site.replay(id, { since: longAgo, status: 'all' })).toMatchObject({ body: { count: 2 } });
  await eventually(() => receiver.arrivals.length === 4);
  const byDelivery = Map.groupBy(receiver.arrivals, ({ delivery }) => delivery);
  expect([...byDelivery.values()].map((arrivals) => arrivals.map(({ title }) => title)).toSorted()).toEqual([
    ['one', 'one'],
    ['two', 'two'],
  ]);
});

test('a replay contains the events of its period that match the subscription and its collections, and no others', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url, ['content.created'], { collections: ['posts'] });
  await site.change(id, { active: false });
  for (const title of ['before', 'from', 'until']) await site.write(title);
  await site.post('/api/v1/projects', { key: site.key, body: { title: 'another collection' } });
  const timestamp = async (title: string) => {
    const [row] = await site.deps.database.em.execute<{ moment: string }[]>(
      `select to_json(occurred_at)::text as moment from events where body::json -> 'data' ->> 'title' = ?`,
      [title],
    );
    // Truncated to milliseconds: the event's timestamp, or just before it.
    return new Date(JSON.parse(row?.moment ?? '""')).toISOString();
  };
  const [since, until] = [await timestamp('from'), await timestamp('until')];
  expect(await site.replay(id, { since, until })).toMatchObject({ body: { count: 1 } });
  await settledLog(site, id, 1);
  expect(titles(receiver)).toEqual(['from']);
  await site.change(id, { collections: null });
  expect(await site.replay(id, { since })).toMatchObject({ body: { count: 2 } });
  await settledLog(site, id, 3);
  expect(titles(receiver)).toEqual(['another collection', 'from', 'until']);
  await site.deps.database.em.execute(
    `update events set occurred_at = occurred_at - interval '7 days' where body like '%before%'`,
  );
  expect(await site.replay(id, { since: longAgo })).toMatchObject({ body: { count: 0 } });
});

test('a replay contains no events from before the registration', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  await site.write('before');
  const { id } = await site.subscribe(receiver.url);
  await site.write('after');
  await settledLog(site, id);
  expect(await site.replay(id, { since: longAgo, status: 'all' })).toMatchObject({ body: { count: 1 } });
  await eventually(() => receiver.arrivals.length === 2);
  expect(titles(receiver)).toEqual(['after', 'after']);
});

test('a replay runs alone until all its deliveries are settled: a second one gets replay_running, even concurrently', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => null);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  const { id: other } = await site.subscribe(receiver.url, ['content.deleted']);
  await site.change(id, { active: false });
  for (const title of ['one', 'two', 'three']) await site.write(title);
  const started = await Promise.all(Array.from({ length: 4 }, () => site.replay(id, { since: longAgo })));
  expect(started.filter(({ status }) => status === 200)).toMatchObject([{ body: { count: 3 } }]);
  expect(started.filter(({ status }) => status !== 200)).toEqual(
    Array(3).fill(failure(409, 'replay_running')),
  );
  await eventually(() => receiver.arrivals.length === 3);
  expect(await site.replay(id, { since: longAgo })).toEqual(failure(409, 'replay_running'));
  expect(await site.replay(other, { since: longAgo })).toEqual({ status: 200, body: { count: 0 } });
  receiver.answerWith(() => 200);
  receiver.letGo();
  await settledLog(site, id, 3);
  expect(await site.replay(id, { since: longAgo })).toEqual({ status: 200, body: { count: 0 } });
});

test('a delivery that a replay could not make is failed, is not retried, and the next replay includes it', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => 500);
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site, { retrySeconds: [0, 0, 0, 0, 0] });
  const { id } = await site.subscribe(receiver.url);
  await site.change(id, { active: false });
  await site.write('Hello');
  await site.replay(id, { since: longAgo });
  expect(await settledLog(site, id)).toMatchObject([{ status: 'failed', attempt_count: 1 }]);
  receiver.answerWith(() => 200);
  expect(await site.replay(id, { since: longAgo })).toMatchObject({ body: { count: 1 } });
  await eventually(async () => (await site.log(id))[0]?.status === 'delivered');
  expect(receiver.arrivals).toHaveLength(2);
  expect(await site.subscription(id)).toMatchObject({ consecutive_failures: 0 });
});

test('a new event or a redelivery does not wait for the end of a long replay', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  await using _worker = await startTestWorker(site);
  const { id } = await site.subscribe(receiver.url);
  await site.write('early');
  const [early] = await settledLog(site, id);
  await site.deps.database.em.execute(
    `insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
     select site_id, lpad(n::text, 15, '0'), name, replace(body, 'early', 'replayed ' || n), occurred_at, false
     from events, generate_series(1, 1000) n`,
  );
  expect(await site.replay(id, { since: longAgo })).toMatchObject({ body: { count: 1_000 } });
  await eventually(() => receiver.arrivals.length > 5);
  await Promise.all([site.write('fresh'), site.redeliver(id, early?.id ?? '')]);
  await eventually(() => {
    const seen = titles(receiver);
    return seen.includes('fresh') && seen.filter((title) => title === 'early').length === 2;
  });
  expect(receiver.arrivals.length).toBeLessThan(1_000);
  await site.change(id, { active: false });
});

test('an event that awaits its fan-out during a replay is delivered once', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  await site.write('Hello');
  expect(await site.replay(id, { since: longAgo })).toMatchObject({ body: { count: 0 } });
  await site.change(id, { active: false });
  expect(await site.replay(id, { since: longAgo })).toMatchObject({ body: { count: 1 } });
  await site.change(id, { active: true });
  expect(await site.log(id)).toMatchObject([{ status: 'pending' }]);
  await using _worker = await startTestWorker(site);
  await settledLog(site, id);
  await site.write('later');
  await settledLog(site, id, 2);
  expect(receiver.arrivals.map(({ title }) => title)).toEqual(['Hello', 'later']);
});

test('a subscription that is deleted during its replay receives nothing more', async () => {
  await using receiver = await startCountingReceiver();
  receiver.answerWith(() => null);
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  await site.change(id, { active: false });
  for (let n = 0; n < 15; n++) await site.write(`event ${n}`);
  await site.replay(id, { since: longAgo });
  await using _worker = await startTestWorker(site);
  await eventually(() => receiver.arrivals.length === 10);
  await site.drop(id);
  receiver.letGo();
  const rows = await site.deps.database.em.execute(
    'select distinct status, asked_at, due_at, lease_until from webhook_deliveries',
  );
  expect(rows).toEqual([{ status: 'cancelled', asked_at: null, due_at: null, lease_until: null }]);
});

test('pruning deletes attempts with their delivery, and no event with a requested attempt', async () => {
  await using receiver = await startCountingReceiver();
  await using site = await startWebhookSite(receiver.ca);
  const { id } = await site.subscribe(receiver.url);
  {
    await using _worker = await startTestWorker(site);
    for (const title of ['old', 'asked for']) await site.write(title);
    await settledLog(site, id, 2);
  }
  const { em } = site.deps.database;
  const old = receiver.arrivals.find(({ title }) => title === 'old');
  const requested = receiver.arrivals.find(({ title }) => title === 'asked for');
  await site.redeliver(id, requested?.delivery ?? '');
  await em.execute(`update webhook_deliveries set created = created - interval '31 days'`);
  await em.execute(`update events set occurred_at = occurred_at - interval '8 days'`);
  await prune(site.deps.database, new Date());
  const left = async (query: string) => (await em.execute<{ left: string }[]>(query)).map(({ left }) => left);
  expect(await left(`select body::json -> 'data' ->> 'title' as left from events`)).toEqual(['asked for']);
  expect(await left('select id as left from webhook_deliveries')).toEqual([requested?.delivery]);
  expect(await left('select delivery_id as left from webhook_attempts')).toEqual([requested?.delivery]);
  expect(old?.delivery).not.toBe(requested?.delivery);
});
