import { randomUUID } from 'node:crypto';
import { afterAll, expect, inject, test } from 'vitest';
import { startApp, unlimited } from '../support/app.ts';
import { countRoundTrips } from '../support/count-round-trips.ts';
import { withPort } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { openSharedLimiter } from '../support/shared-limiter.ts';
import { recordStatements } from '../support/statements/record.ts';
import { startTestWorker } from '../support/worker.ts';

// Counts the round trips to the database per request, because each may take a millisecond.

const sent: string[] = [];
const recorded = recordStatements((text) => sent.push(text));
const serverUrl = inject('databaseUrl');
const proxy = await countRoundTrips({ port: Number(new URL(serverUrl).port) });
const app = await startApp({ serverUrl: withPort(serverUrl, proxy.port) });
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await proxy[Symbol.asyncDispose]();
  recorded[Symbol.dispose]();
});

await app.seed.ownSite();
const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });

let posts = 0;
const create = async (headers = {}) => {
  posts += 1;
  const title = `Post ${posts}`;
  const { status, body } = await app.post('/api/v1/posts', { key, headers, body: { title } });
  expect(status).toBe(201);
  return (body as { id: string }).id;
};

const kinds: Record<
  string,
  { trips: number; prepare?: () => Promise<string>; ask(id: string): Promise<unknown> }
> = {
  'a cached response': {
    trips: 1,
    prepare: async () => {
      await app.get('/api/v1/posts', { key });
      return '';
    },
    ask: () => app.get('/api/v1/posts', { key }),
  },
  'a response that is not cached': {
    trips: 2,
    prepare: create,
    ask: (id) => app.get(`/api/v2/posts/${id}`, { key }),
  },
  'a create': { trips: 2, ask: () => create() },
  'a create with an idempotency key': { trips: 6, ask: () => create({ 'idempotency-key': randomUUID() }) },
  'an update': {
    trips: 5,
    prepare: create,
    ask: (id) => app.patch(`/api/v1/posts/${id}`, { key, body: { excerpt: 'Changed' } }),
  },
  'a delete': { trips: 5, prepare: create, ask: (id) => app.delete(`/api/v1/posts/${id}`, { key }) },
};

test.for(Object.entries(kinds))(
  '%s takes a known number of round trips',
  async ([, { trips, prepare, ask: request }]) => {
    // The first round opens all connections and prepares their statements.
    for (const round of ['first', 'then']) {
      const id = (await prepare?.()) ?? '';
      const taken = await proxy.during(() => request(id));
      if (round === 'then') expect(taken).toBe(trips);
    }
  },
);

test('a cached response takes two round trips with a shared limiter, and over the limit the key is not looked up', async () => {
  const { deps } = app;
  const { limiter } = deps;
  const [read, stranger] = [
    (secret: string) => app.get('/api/v1/posts', { key: secret }),
    await app.seed.key({ scopes: ['read'] }),
  ];
  const tiers = { ...unlimited, normal: { perMinute: 1, burst: 3 } };
  await using shared = openSharedLimiter({ databaseUrl: app.databaseUrl, tiers });
  await read(key);
  try {
    deps.limiter = shared;
    // The first request opens the limiter's connection.
    await read(key);
    expect(await proxy.during(() => read(key))).toBe(2);
    expect((await read(key)).status).toBe(200);
    sent.length = 0;
    expect((await read(stranger)).status).toBe(429);
    expect(sent.filter((text) => text.includes('rate_limits'))).toHaveLength(1);
    expect(sent.filter((text) => text.includes('api_keys'))).toEqual([]);
  } finally {
    deps.limiter = limiter;
  }
});

test('an idle worker sends at most two statements per poll for due work', async () => {
  sent.length = 0;
  await using _worker = await startTestWorker(app);
  const looks = () => sent.flatMap((text, position) => (text.includes('as removals') ? [position] : []));
  await eventually(async () => looks().length > 6);
  const [, , from = 0, , , , to = 0] = looks();
  expect(to - from).toBeLessThanOrEqual(2 * 4);
});
