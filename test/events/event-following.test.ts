import { setTimeout as delay } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { fireAllEvents } from '../support/all-events.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { openWrite } from '../support/event-log.ts';
import { type EventFollower, startFollower } from '../support/follower.ts';
import { anyId } from '../support/matchers.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { judgePlans } from '../support/statements/judge-plans.ts';
import { gatherNoStatistics, goOver, runSlowStatement } from '../support/statistics.ts';

const write = (app: TestApp, key: string, title: string) =>
  app.post('/api/v1/posts', { key, body: { title } });

/** Creates posts with the titles 1 to `count`, one after the other. Each fires one event. */
async function writePosts(app: TestApp, key: string, count: number) {
  for (let n = 1; n <= count; n++) await write(app, key, String(n));
}

/** Returns the titles that the follower received, after it received every event committed until now. */
async function titlesSoFar(app: TestApp, key: string, follower: EventFollower) {
  await write(app, key, 'the last one');
  const isLast = ({ data }: { data: { title: string } }) => data.title === 'the last one';
  for (let count = 1; !follower.events().some(isLast); count = follower.events().length + 1)
    await follower.told(count);
  return follower.titles().filter((title) => title !== 'the last one');
}

test('a follower receives an event with its id, name, timestamp and data', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await write(app, key, 'before');
  await using follower = await startFollower(app.baseUrl, { key });
  const { body } = await write(app, key, 'Hé "llo" %s');
  expect(await follower.told(1)).toEqual([
    {
      id: anyId,
      event: 'content.created',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: { id: (body as { id: string }).id, collection: 'posts', title: 'Hé "llo" %s', slug: 'he-llo-s' },
    },
  ]);
  expect(follower.headers).toMatchObject({
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'access-control-allow-origin': '*',
    'x-request-id': expect.any(String),
  });
});

test('a follower receives every event with the bytes that a webhook delivery has', async () => {
  await using app = await startApp();
  await using follower = await startFollower(app.baseUrl, { key: await app.seed.key() });
  await fireAllEvents(app);
  const stored = await app.deps.database.em.execute<{ body: string }[]>(
    'select body from events order by occurred_at, id',
  );
  const told = await follower.told(stored.length);
  expect(told.map(({ event, timestamp, data }) => JSON.stringify({ event, timestamp, data }))).toEqual(
    stored.map(({ body }) => body),
  );
  expect(new Set(told.map(({ event }) => event)).size).toBe(9);
});

test('a follower receives only the events that its wildcards cover', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using some = await startFollower(app.baseUrl, { key, input: { events: ['course.*', 'member.*'] } });
  await using none = await startFollower(app.baseUrl, { key, input: { events: ['analytics.*'] } });
  await fireAllEvents(app);
  const names = (await some.told(3)).map(({ event }) => event);
  expect(names).toEqual(['course.enrolled', 'course.completed', 'newsletter.subscribe']);
  expect(none.events()).toEqual([]);
});

test('a follower that reconnects with its last id, in any form, misses and repeats no event', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using first = await startFollower(app.baseUrl, { key });
  await writePosts(app, key, 3);
  await first.told(3);
  const [id = ''] = first.ids().slice(1);
  const ways = [
    { headers: { 'last-event-id': id } },
    { input: { after: id } },
    { input: { lastEventId: id } },
    { input: { after: String(first.ids()[0]) }, headers: { 'last-event-id': id } },
  ];
  for (const way of ways) {
    await using again = await startFollower(app.baseUrl, { key, ...way });
    await again.told(1);
    expect(again.titles()).toEqual(['3']);
  }
});

test('a follower that reconnects before its first event misses none', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const lost = await startFollower(app.baseUrl, { key });
  await lost[Symbol.asyncDispose]();
  await writePosts(app, key, 2);
  await using again = await startFollower(app.baseUrl, { key, input: { after: lost.lastId() } });
  await again.told(2);
  expect(again.titles()).toEqual(['1', '2']);
});

test("a follower's id is a cursor for polling oldest first, and a polling cursor can be followed from", async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  await writePosts(app, key, 4);
  await follower.told(4);
  const poll = async (query: string) => {
    const { body } = await app.get(`/api/v1/webhooks/poll/content.created?${query}`, { key });
    return body as { events: { data: { title: string } }[]; next_cursor?: string };
  };
  const polled = await poll(`cursor=${follower.ids()[1]}`);
  expect(polled.events.map(({ data }) => data.title)).toEqual(['3', '4']);
  const page = await poll('limit=2&since=2001-01-01T00:00:00Z');
  await using after = await startFollower(app.baseUrl, { key, input: { after: page.next_cursor } });
  await after.told(2);
  expect(after.titles()).toEqual(['3', '4']);
});

test('a follower that was disconnected for long receives all missed events in order, and then new ones', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using begin = await startFollower(app.baseUrl, { key });
  await app.deps.database.em.execute(
    `insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
     select ?, lpad(n::text, 15, '0'), case n % 2 when 0 then 'content.created' else 'content.updated' end,
       format('{"event":"%s","timestamp":"2026-01-31T09:05:00.123Z","data":{"id":"x","collection":"posts","title":"%s","slug":"x"}}',
         case n % 2 when 0 then 'content.created' else 'content.updated' end, n), clock_timestamp(), false
     from generate_series(1, 950) as n`,
    [await app.seed.ownSite()],
  );
  await using follower = await startFollower(app.baseUrl, { key, input: { after: begin.lastId() } });
  await write(app, key, '951');
  await follower.told(951);
  expect(follower.titles()).toEqual(Array.from({ length: 951 }, (_, n) => String(n + 1)));
  await begin.told(951);
  expect(begin.titles()).toEqual(follower.titles());
});

test('an event that commits late is sent in log order, and an event that is rolled back is never sent', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  await using late = await openWrite(app, 'late');
  await using doomed = await openWrite(app, 'doomed');
  await write(app, key, 'early');
  await using second = await startFollower(app.baseUrl, { key });
  await doomed.rollBack();
  expect([follower.titles(), second.titles()]).toEqual([[], []]);
  await late.commit();
  expect(await titlesSoFar(app, key, follower)).toEqual(['late', 'early']);
  expect(await titlesSoFar(app, key, second)).toEqual(['late', 'early']);
});

test('with writers that commit in any order and followers that reconnect, each event is sent once, in log order', async () => {
  const seed = newSeed();
  const random = createRandom(seed);
  await using app = await startApp({ following: { tickMs: 20, waitingEvents: 5 } });
  const key = await app.seed.key();
  const first = await startFollower(app.baseUrl, { key });
  await first[Symbol.asyncDispose]();
  const committed: string[] = [];
  let writing = true;
  const writer = async (name: string) => {
    for (let n = 0; n < 25; n++) {
      await using open = await openWrite(app, `${name}${n}`);
      await delay(random() * 20);
      if (random() < 0.2) await open.rollBack();
      else {
        await open.commit();
        committed.push(`${name}${n}`);
      }
    }
  };
  const apiWriter = async () => {
    for (let n = 0; n < 25; n++) {
      const title = `api${n}`;
      await app.post('/api/v1/posts', { key, headers: { 'idempotency-key': title }, body: { title } });
      committed.push(title);
    }
  };
  const follow = async () => {
    const seen: string[] = [];
    let after = first.lastId();
    for (;;) {
      const isLast = !writing;
      await using follower = await startFollower(app.baseUrl, { key, input: { after } });
      if (isLast) return [...seen, ...(await titlesSoFar(app, key, follower))];
      await delay(random() * 100);
      const ids = follower.ids();
      // Leaves out `the last one`, which another follower may have written at its end.
      seen.push(
        ...follower
          .titles()
          .slice(0, ids.length)
          .filter((title) => title !== 'the last one'),
      );
      after = ids.at(-1) ?? after;
    }
  };
  const writers = Promise.all([...['a', 'b', 'c'].map(writer), apiWriter()]).finally(() => {
    writing = false;
  });
  const seen = await Promise.all([follow(), follow(), follow()]);
  await writers;
  const logged = await app.deps.database.em.execute<{ title: string }[]>(
    "select body::json -> 'data' ->> 'title' as title from events order by occurred_at, id",
  );
  const inOrder = logged.map(({ title }) => title).filter((title) => title !== 'the last one');
  expect(inOrder.toSorted()).toEqual(committed.toSorted());
  for (const titles of seen) expect(titles, `seed ${seed}`).toEqual(inOrder);
});

test('a follower never receives events of another site, not even with an id of that site', async () => {
  await using app = await startApp();
  const [key, foreign] = [await app.seed.key(), await app.seed.key({ siteId: await app.seed.site() })];
  await using theirs = await startFollower(app.baseUrl, { key: foreign });
  await using ours = await startFollower(app.baseUrl, { key });
  await writePosts(app, foreign, 2);
  await theirs.told(2);
  await using byTheirId = await startFollower(app.baseUrl, { key, input: { after: theirs.ids()[0] } });
  expect(await titlesSoFar(app, key, ours)).toEqual([]);
  expect(await titlesSoFar(app, key, byTheirId)).toEqual([]);
});

test('the start of a follower is found without reading the log of the site, also right after it grew', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const site = await app.seed.ownSite();
  const addEvents = (sites: string, each: number) =>
    runSlowStatement(
      app,
      `set local session_replication_role = replica;
       insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
       select site, lpad(n::text, 15, '0'), 'content.created', '{}', now() - n * interval '1 minute', false
       from ${sites} as sites (site), generate_series(1, ${each}) as n`,
    );
  await gatherNoStatistics(app.deps.database);
  await addEvents(`(select 'site-' || n from generate_series(1, 2000) as n)`, 5);
  await goOver(app, 'events', { statistics: true });
  await addEvents(`(values ('${site}'))`, 1_000);
  await goOver(app, 'events', { statistics: false });
  using judged = await judgePlans(app.databaseUrl, () => 'following');
  await using follower = await startFollower(app.baseUrl, { key });
  expect(Object.fromEntries(judged.faults)).toEqual({});
  await write(app, key, 'One');
  await follower.told(1);
});

test('a follower receives heartbeats while there are no events', async () => {
  await using app = await startApp({ following: { heartbeatMs: 20 } });
  await using follower = await startFollower(app.baseUrl, { key: await app.seed.key() });
  await expect.poll(() => follower.frames.filter(({ event }) => event === 'ping').length).toBeGreaterThan(1);
  expect(follower.frames[0]).toEqual({
    event: 'connected',
    id: expect.any(String),
    data: JSON.stringify({ reconnectAfterInactivityMs: 60 }),
  });
});

test('after the database closed its connections, followers reconnect and miss nothing', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using follower = await startFollower(app.baseUrl, { key });
  for (const title of ['1', '2']) {
    await app.deps.database.em
      .fork()
      .execute(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    await expect.poll(async () => (await write(app, key, title)).status).toBe(201);
  }
  expect(await titlesSoFar(app, key, follower)).toEqual(['1', '2']);
});

test('a long connection of a follower does not count as a slow response', async () => {
  const metrics = new Registry();
  await using app = await startApp({ metrics });
  const follower = await startFollower(app.baseUrl, { key: await app.seed.key() });
  await follower[Symbol.asyncDispose]();
  const route = { method: 'GET', route: '/trpc/*', status: 200 };
  await expect
    .poll(async () => (await metrics.getSingleMetric('http_requests_total')?.get())?.values)
    .toContainEqual({ labels: route, value: 1 });
  expect((await metrics.getSingleMetric('http_request_duration_seconds')?.get())?.values).toEqual([]);
});
