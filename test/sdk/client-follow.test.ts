import { setTimeout as delay } from 'node:timers/promises';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import superjson from 'superjson';
import { Agent, EventSource } from 'undici';
import { expect, test } from 'vitest';
import { createClient, isApiError, type LoggedEvent } from '../../client/sdk/index.ts';
import type { AppRouter } from '../../server/api/router/app-router.ts';
import { buildApp } from '../../server/start/app.ts';
import { createDeps } from '../../server/start/compose.ts';
import { following } from '../../shared/contract/limits.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const write = (app: TestApp, key: string, title: string) =>
  app.post('/api/v1/posts', { key, body: { title } });

/** Resolves when the site has `count` followers. */
const followerCount = (app: TestApp, count: number) =>
  eventually(async () => {
    const rows = await app.deps.database.em.fork().execute('select place from event_followers');
    return rows.length === count;
  });

const titleOf = ({ data }: { data: LoggedEvent }) => ('title' in data.data ? data.data.title : '');

test('a loop over followed events yields typed events with Dates, and break ends the connection', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const client = createClient({ baseUrl: app.baseUrl, apiKey: key });
  const writing = followerCount(app, 1).then(() => write(app, key, 'Hello'));
  for await (const { id, data: event } of client.v1.events.follow.subscribe({
    events: ['content.created'],
  })) {
    expect(id).toEqual(expect.any(String));
    expect(event).toMatchObject({ event: 'content.created', data: { title: 'Hello' } });
    expect(event.timestamp).toBeInstanceOf(Date);
    break;
  }
  await writing;
  await followerCount(app, 0);
});

test('a client whose connection breaks repeatedly receives every event once', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using proxy = await startProxy({ port: Number(new URL(app.baseUrl).port) });
  const client = createClient({ baseUrl: `http://127.0.0.1:${proxy.port}`, apiKey: key });
  const titles: string[] = [];
  const states: string[] = [];
  const subscription = client.v1.events.follow.subscribe(
    {},
    {
      onData: (item) => void titles.push(titleOf(item)),
      onConnectionStateChange: ({ state }) => void states.push(state),
    },
  );
  await eventually(() => states.includes('pending'));
  for (let n = 1; n <= 30; n++) {
    await write(app, key, String(n));
    if (n % 6 === 0) {
      proxy.refuse();
      await eventually(() => states.at(-1) === 'connecting');
    }
    if (n % 6 === 3) {
      proxy.accept();
      await eventually(() => states.at(-1) === 'pending');
    }
  }
  proxy.accept();
  await eventually(() => titles.length >= 30);
  subscription.unsubscribe();
  expect(titles).toEqual(Array.from({ length: 30 }, (_, n) => String(n + 1)));
  expect(states.filter((state) => state === 'connecting').length).toBeGreaterThan(4);
});

test('a client whose server shuts down continues at the next server and misses no event', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const server = buildApp(createDeps(app.deps));
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const targets = [Number(port), Number(new URL(app.baseUrl).port)];
  const client = createClient({
    baseUrl: app.baseUrl,
    apiKey: key,
    fetch: (url, init) => fetch(String(url).replace(/:\d+\//, `:${targets[0]}/`), init),
  });
  const titles: string[] = [];
  const states: string[] = [];
  const subscription = client.v1.events.follow.subscribe(
    {},
    {
      onData: (item) => void titles.push(titleOf(item)),
      onConnectionStateChange: ({ state }) => void states.push(state),
    },
  );
  await eventually(() => states.includes('pending'));
  await write(app, key, 'before');
  await eventually(() => titles.length === 1);
  targets.shift();
  await server.close();
  await write(app, key, 'after');
  await eventually(() => titles.length === 2);
  subscription.unsubscribe();
  expect(titles).toEqual(['before', 'after']);
});

/** Changes that a proxy may make to an event stream within the rules of the format. */
const rewritten: Record<string, (text: string) => string[]> = {
  'with CR LF': (text) => [text.replaceAll('\n', '\r\n')],
  'with CR LF in two pieces': (text) => text.replaceAll('\n', '\r\n').split(/(?<=\r)/),
  'with CR': (text) => [text.replaceAll('\n', '\r')],
  'character by character': (text) => [...text.replaceAll('\n', '\r\n')],
  'with comments between the events': (text) => [`: still here\n\n${text}`],
  'with an empty event field': (text) => [text.replaceAll(/(?<=^|\n\n)(?=(id|data):)/g, 'event\n')],
  'with data in two lines': (text) => [text.replace('data: {"', 'data: {\ndata: "')],
};

test.for(Object.entries(rewritten))(
  'events arrive through a proxy that sends them %s',
  async ([, rewrite]) => {
    await using app = await startApp();
    const key = await app.seed.key();
    const client = createClient({
      baseUrl: app.baseUrl,
      apiKey: key,
      async fetch(url, init) {
        const response = await fetch(url, init);
        const pieces = new TransformStream<string, string>({
          transform: (text, controller) => rewrite(text).forEach((piece) => void controller.enqueue(piece)),
        });
        const body = response.body
          ?.pipeThrough(new TextDecoderStream())
          .pipeThrough(pieces)
          .pipeThrough(new TextEncoderStream());
        return new Response(body, response);
      },
    });
    const titles: string[] = [];
    const errors: Error[] = [];
    const subscription = client.v1.events.follow.subscribe(
      {},
      { onData: (item) => void titles.push(titleOf(item)), onError: (error) => void errors.push(error) },
    );
    await followerCount(app, 1);
    await write(app, key, 'One');
    await write(app, key, 'Two');
    await eventually(() => titles.length === 2 || errors.length > 0);
    subscription.unsubscribe();
    expect({ titles, errors }).toEqual({ titles: ['One', 'Two'], errors: [] });
  },
);

test('a refusal ends the loop with its error code, and a rate-limited connection is retried', async () => {
  await using app = await startApp({
    limits: { normal: { perMinute: 600, burst: 1 } },
    following: { checkMs: 20 },
  });
  const stranger = createClient({ baseUrl: app.baseUrl, apiKey: 'svc_live_nobody' });
  const refusal = async (client: typeof stranger) => {
    try {
      for await (const _ of client.v1.events.follow.subscribe()) throw new Error('it was told something');
    } catch (error) {
      return isApiError(error) ? error.data : error;
    }
    return null;
  };
  expect(await refusal(stranger)).toMatchObject({
    code: 'unauthorized',
    httpStatus: 401,
    path: 'v1.events.follow',
    requestId: expect.any(String),
  });
  const key = await app.seed.key({ expiry: app.clock.inMinutes(60) });
  app.clock.advance({ minutes: 1 });
  await app.get('/api/v1/posts', { key });
  const client = createClient({ baseUrl: app.baseUrl, apiKey: key });
  const ended = refusal(client);
  await delay(50);
  app.clock.advance({ minutes: 1 });
  await followerCount(app, 1);
  app.clock.advance({ hours: 2 });
  expect(await ended).toMatchObject({ code: 'key_expired' });
});

test('a site with the maximum number of followers refuses another one immediately', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await app.deps.database.em.fork().execute(
    `insert into event_followers (site_id, place, holder, expires_at)
     select ?, n, 'another', now() + interval '20 seconds' from generate_series(1, ${following.perSite}) as n`,
    [await app.seed.ownSite()],
  );
  const { promise, resolve } = Promise.withResolvers<Error>();
  createClient({ baseUrl: app.baseUrl, apiKey: key }).v1.events.follow.subscribe(
    {},
    { onData: () => {}, onError: resolve },
  );
  expect(await promise).toMatchObject({ data: { code: 'too_many_followers' } });
});

test("tRPC's own link reads the stream and reconnects without losing an event", async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using proxy = await startProxy({ port: Number(new URL(app.baseUrl).port) });
  const withKey = new Agent().compose(
    (dispatch) => (options, handler) =>
      dispatch(
        { ...options, headers: { ...Object(options.headers), authorization: `Bearer ${key}` } },
        handler,
      ),
  );
  const client = createTRPCClient<AppRouter>({
    links: [
      httpSubscriptionLink({
        url: `http://127.0.0.1:${proxy.port}/trpc`,
        transformer: superjson,
        EventSource,
        eventSourceOptions: { node: { dispatcher: withKey } },
      }),
    ],
  });
  const told: unknown[] = [];
  let starts = 0;
  const subscription = client.v1.events.follow.subscribe(
    {},
    {
      onStarted: () => void starts++,
      onData: ({ data }) => void told.push('title' in data.data && data.data.title),
    },
  );
  await eventually(() => starts === 1);
  proxy.refuse();
  await write(app, key, 'while it was away');
  proxy.accept();
  await eventually(() => told.length === 1);
  await write(app, key, 'after that');
  await eventually(() => told.length === 2);
  subscription.unsubscribe();
  expect(told).toEqual(['while it was away', 'after that']);
});
