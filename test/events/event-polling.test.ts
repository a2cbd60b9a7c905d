import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventNames, events } from '../../shared/contract/events.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nextMillisecond, openWrite } from '../support/event-log.ts';
import { failure } from '../support/http.ts';
import { anyId } from '../support/matchers.ts';
import { createRandom, newSeed } from '../support/random.ts';

const at = '/api/v1/webhooks';

interface Polled {
  id: string;
  event: string;
  timestamp: string;
  data: { title: string };
}

interface Batch {
  events: Polled[];
  next_cursor?: string;
}

async function poll(app: TestApp, key: string, query = ''): Promise<Batch> {
  const { status, body } = await app.get(`${at}/poll/content.created${query}`, { key });
  expect(status).toBe(200);
  return body as Batch;
}

const titles = ({ events }: Batch) => events.map(({ data }) => data.title);

/** Creates posts with the titles 1 to `count`. Each fires one event, at least a millisecond after the one before. */
async function writePosts(app: TestApp, key: string, count: number) {
  for (let n = 1; n <= count; n++) {
    await app.post('/api/v1/posts', { key, body: { title: String(n) } });
    await nextMillisecond(app);
  }
}

test('the catalog lists the nine events with their meaning', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['read'] });
  expect(eventNames.toSorted()).toEqual([
    'content.created',
    'content.deleted',
    'content.published',
    'content.updated',
    'course.completed',
    'course.enrolled',
    'newsletter.subscribe',
    'purchase.completed',
    'testimonial.submitted',
  ]);
  expect(await app.get(`${at}/events`, { key })).toEqual({
    status: 200,
    body: { events: eventNames.map((name) => ({ key: name, description: events[name].description })) },
  });
});

test('a logged event is polled with its id, name, timestamp and data', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const { id } = (await app.post('/api/v1/posts', { key, body: { title: 'Hé "llo" %s' } })).body as {
    id: string;
  };
  const answer = await app.get(`${at}/poll/content.created`, { key });
  expect(answer).toEqual({
    status: 200,
    body: {
      events: [
        {
          id: anyId,
          event: 'content.created',
          timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          data: { id, collection: 'posts', title: 'Hé "llo" %s', slug: 'he-llo-s' },
        },
      ],
    },
  });
  expect(await app.get(`${at}/poll/content.created`, { key })).toEqual(answer);
  expect(await app.get(`${at}/poll/content.deleted`, { key })).toEqual({ status: 200, body: { events: [] } });
});

test('polling returns events newest first, page by page, each once, while others are logged', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await writePosts(app, key, 5);
  const first = await poll(app, key, '?limit=2');
  await app.post('/api/v1/posts', { key, body: { title: 'later' } });
  const second = await poll(app, key, `?limit=2&cursor=${first.next_cursor}`);
  const third = await poll(app, key, `?limit=2&cursor=${second.next_cursor}`);
  expect([first, second, third].map(titles)).toEqual([['5', '4'], ['3', '2'], ['1']]);
  expect(third).not.toHaveProperty('next_cursor');
  expect(titles(await poll(app, key))).toEqual(['later', '5', '4', '3', '2', '1']);
});

test('since returns events from that time on, oldest first, page by page', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await writePosts(app, key, 5);
  const [, third] = (await poll(app, key)).events.toReversed().slice(1);
  const first = await poll(app, key, `?limit=2&since=${third?.timestamp}`);
  const second = await poll(app, key, `?limit=2&cursor=${first.next_cursor}`);
  expect([first, second].map(titles)).toEqual([['3', '4'], ['5']]);
  expect(second).not.toHaveProperty('next_cursor');
  expect(titles(await poll(app, key, '?since=2001-01-01T02:00:00%2B02:00'))).toEqual([
    '1',
    '2',
    '3',
    '4',
    '5',
  ]);
  expect(await poll(app, key, '?since=2999-01-01T00:00:00Z')).toEqual({ events: [] });
});

test('since is ignored with a valid cursor', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await writePosts(app, key, 3);
  const { next_cursor } = await poll(app, key, '?limit=1');
  const since = 'since=2001-01-01T00:00:00Z';
  expect(titles(await poll(app, key, `?cursor=${next_cursor}&${since}`))).toEqual(['2', '1']);
  expect(titles(await poll(app, key, `?cursor=&${since}`))).toEqual(['1', '2', '3']);
});

const word = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const position = ['content.created', 'newest_first', '2026-01-31 09:05:00.123+00', 'mb3k9x2a7f0q1zd'];

test('a malformed cursor, or one of another event, restarts at the first page', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await writePosts(app, key, 2);
  const forged = [
    'x',
    '%00',
    word(null),
    word({}),
    word(position.slice(0, 3)),
    word(position.with(0, 'content.deleted')),
    word(position.with(1, 'sideways')),
    word(position.with(2, 'yesterday')),
    word(position.with(2, 'infinity')),
    word(position.with(2, '0000-01-01 00:00:00+00')),
    word(position.with(2, '2026-01-31 09:05:00+23:59')),
    word(position.with(2, '2026-02-30 09:05:00+00')),
    word(position.with(3, "x' or true --")),
  ];
  for (const cursor of forged)
    expect(titles(await poll(app, key, `?cursor=${cursor}`)), cursor).toEqual(['2', '1']);
  const { next_cursor } = await poll(app, key, '?limit=1');
  await app.post('/api/v1/projects', { key, body: { title: 'p' } });
  const other = await app.get(`${at}/poll/content.updated?cursor=${next_cursor}`, { key });
  expect(other).toEqual({ status: 200, body: { events: [] } });
});

test('an unknown event and a parameter out of bounds return invalid_request', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const refusal = failure(400, 'invalid_request', expect.any(String));
  for (const name of ['content.read', 'content.*', '*', 'test', 'Content.Created', 'constructor', '%00']) {
    expect(await app.get(`${at}/poll/${name}`, { key }), name).toEqual(refusal);
  }
  const bad = ['limit=0', 'limit=201', 'limit=-1', 'limit=1.5', 'limit=x', 'limit=', 'since=', 'since=today'];
  for (const query of [...bad, 'since=2026-02-30T00:00:00Z', 'limit=1&limit=2', 'since=1769850000']) {
    expect(await app.get(`${at}/poll/content.created?${query}`, { key }), query).toEqual(refusal);
  }
});

test('limit is 50 by default, and at most 200', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await seedEvents(app, 201, '1 minute');
  expect((await poll(app, key)).events).toHaveLength(50);
  expect((await poll(app, key, '?limit=200')).events).toHaveLength(200);
});

/** Adds `count` events, a millisecond apart. The newest has the given age. */
async function seedEvents(app: TestApp, count: number, age: string) {
  const body =
    '{"event":"content.created","timestamp":"2026-01-31T09:05:00.123Z","data":{"id":"x","collection":"posts","title":"old","slug":"x"}}';
  await app.deps.database.em.execute(
    `insert into events (site_id, id, name, body, occurred_at, awaits_fan_out)
     select ?, substr(md5(random()::text), 1, 15), 'content.created', ?, now() - ?::interval - n * interval '1 millisecond', false
     from generate_series(1, ${count}) as n`,
    [await app.seed.ownSite(), body, age],
  );
}

test('events can be polled for seven days, even if the worker has not deleted them yet', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await seedEvents(app, 3, '7 days');
  await seedEvents(app, 2, '6 days 23 hours');
  expect((await poll(app, key)).events).toHaveLength(2);
  expect((await poll(app, key, '?since=2001-01-01T00:00:00Z')).events).toHaveLength(2);
});

test('events of another site cannot be polled', async () => {
  await using app = await startApp();
  const foreign = await app.seed.key({ siteId: await app.seed.site() });
  await writePosts(app, foreign, 2);
  expect((await poll(app, await app.seed.key())).events).toEqual([]);
  const { next_cursor } = await poll(app, foreign, '?limit=1');
  expect((await poll(app, await app.seed.key(), `?cursor=${next_cursor}`)).events).toEqual([]);
});

test('polling and the catalog need the scope read', async () => {
  await using app = await startApp();
  const key = await app.seed.key({ scopes: ['write', 'webhooks', 'read:content'] });
  for (const path of ['events', 'poll/content.created', 'poll/nothing']) {
    expect(await app.get(`${at}/${path}`, { key })).toEqual(failure(403, 'insufficient_scope'));
    expect(await app.get(`${at}/${path}`)).toEqual(failure(401, 'unauthorized'));
  }
});

test('an event that commits late is not missed by readers that continue by cursor or since', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await writePosts(app, key, 2);
  const since = (await poll(app, key)).events[0]?.timestamp;
  const { next_cursor } = await poll(app, key, '?limit=1&since=2001-01-01T00:00:00Z');
  await using late = await openWrite(app, 'late');
  await app.post('/api/v1/posts', { key, body: { title: 'early' } });
  const readers = [`?since=${since}`, `?cursor=${next_cursor}`];
  for (const reader of readers) expect(titles(await poll(app, key, reader))).toEqual(['2']);
  expect(titles(await poll(app, key))).toEqual(['2', '1']);
  await late.commit();
  for (const reader of readers) expect(titles(await poll(app, key, reader))).toEqual(['2', 'late', 'early']);
  expect(titles(await poll(app, key))).toEqual(['early', 'late', '2', '1']);
});

test('an event that is rolled back is never returned, and does not block later events', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using doomed = await openWrite(app, 'doomed');
  await app.post('/api/v1/posts', { key, body: { title: 'other' } });
  expect(titles(await poll(app, key))).toEqual([]);
  await doomed.rollBack();
  expect(titles(await poll(app, key))).toEqual(['other']);
});

test('readers by cursor and by since see every committed event, in any commit order', async () => {
  const seed = newSeed();
  const random = createRandom(seed);
  await using app = await startApp();
  const key = await app.seed.key();
  const committed: string[] = [];
  const writer = async (name: string) => {
    for (let n = 0; n < 12; n++) {
      await using write = await openWrite(app, `${name}${n}`);
      await delay(random() * 40);
      if (random() < 0.2) await write.rollBack();
      else {
        await write.commit();
        committed.push(`${name}${n}`);
      }
    }
  };
  let writing = true;
  const follow = async (next: (batch: Batch, query: string) => string) => {
    const seen: string[] = [];
    let query = '?limit=5&since=2001-01-01T00:00:00Z';
    for (let last = false; ; last = !writing) {
      const batch = await poll(app, key, query);
      seen.push(...titles(batch));
      const following = next(batch, query);
      if (last && following === query) return seen;
      query = following;
    }
  };
  const bySince = follow(({ events }, query) => {
    const newest = events.at(-1)?.timestamp;
    return newest === undefined ? query : `?limit=5&since=${newest}`;
  });
  const byCursor = follow(({ next_cursor }, query) =>
    next_cursor ? `?limit=5&cursor=${next_cursor}` : query,
  );
  await Promise.all(['a', 'b', 'c'].map(writer));
  writing = false;
  const expected = committed.toSorted();
  for (const seen of [await bySince, await byCursor]) {
    expect([...new Set(seen)].toSorted(), `seed ${seed}`).toEqual(expected);
  }
});
