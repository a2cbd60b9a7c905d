import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request as send } from 'undici';
import { expect, test, vi } from 'vitest';
import { type ApiClient, createClient } from '../../client/sdk/index.ts';
import { startApp } from '../support/app.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { listen } from '../support/tls-receiver.ts';

/** Faults of a request or its answer. */
const faults = {
  'lost request': ({ socket }) => void socket.destroy(),
  'dropped answer': async ({ socket, forward }) => {
    await forward();
    socket.destroy();
  },
  'truncated answer': async ({ socket, forward, random }) => {
    const whole = bytesOf(await forward());
    socket.write(whole.subarray(0, Math.floor(random() * whole.length)), () => socket.destroy());
  },
  'doubled answer': async ({ socket, forward, answer }) => {
    const given = await forward();
    // In one write, because the client could read the second answer as that of its next request.
    socket.cork();
    answer(given);
    socket.write(bytesOf(given));
    socket.uncork();
  },
  'delayed answer': async ({ forward, answer, random }) => {
    const given = await forward();
    await delay(random() * 300);
    answer(given);
  },
  'doubled request': async ({ forward, answer }) => {
    const [first] = await Promise.all([forward(), forward()]);
    answer(first);
  },
  'silence instead of an answer': async ({ forward }) => void (await forward()),
} as const satisfies Record<string, (scene: ChaosContext) => void | Promise<void>>;

type Fault = keyof typeof faults;

interface ChaosContext {
  /** Connection of the client. */
  socket: Socket;
  /** Sends the request to the server and returns the answer. */
  forward(): Promise<Answer>;
  /** Sends a complete answer to the client. */
  answer(given: Answer): void;
  random: () => number;
}

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

interface Plan {
  faults: readonly Fault[];
  /** Share of requests with a fault, from 0 to 1. */
  share: number;
  random: () => number;
}

/** Starts an HTTP proxy that handles a share of the requests with faults. */
async function startFaultyProxy(target: string, plan: Plan) {
  const counts = new Map<Fault, number>();
  const nextFault = createFaults(plan);
  const agent = new Agent({ connections: 50 });
  const server = createServer(async (request, response) => {
    const forward = forwarder({ target, agent }, request, Buffer.concat(await Array.fromAsync(request)));
    const scene = { socket: request.socket, random: plan.random, forward, answer: answerBy(response) };
    const fault = nextFault();
    if (!fault) return scene.answer(await forward());
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    await faults[fault](scene);
  });
  // A client closes connections that a fault broke.
  server.on('connection', (socket) => socket.on('error', () => {}));
  const port = await listen(server, '127.0.0.1');
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    /** Number of strikes of each fault. */
    counts: counts as ReadonlyMap<Fault, number>,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await agent.close();
    },
  };
}

/**
 * Returns a function that picks faults. In each round every fault occurs once, at a random position, so that none is
 * missed.
 */
function createFaults({ faults, share, random }: Plan) {
  const round = Math.round(faults.length / share);
  let left: (Fault | undefined)[] = [];
  return () => {
    if (left.length === 0) left = [...faults, ...Array<undefined>(round - faults.length).fill(undefined)];
    return left.splice(Math.floor(random() * left.length), 1)[0];
  };
}

function forwarder(
  { target, agent }: { target: string; agent: Agent },
  { method, url, headers: { connection: _, host: __, ...headers } }: IncomingMessage,
  body: Buffer,
) {
  return async (): Promise<Answer> => {
    const answer = await send(target + url, {
      dispatcher: agent,
      method: method as Dispatcher.HttpMethod,
      headers,
      body: method === 'GET' ? null : body,
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: Buffer.from(await answer.body.arrayBuffer()),
    };
  };
}

const answerBy =
  (response: ServerResponse) =>
  ({ status, headers, body }: Answer) =>
    void response.writeHead(status, headers).end(body);

function bytesOf({ status, headers, body }: Answer): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${lines.join('')}\r\n`), body]);
}

const long = process.env.FAULTS === 'long';

// The tests wait for responses that never arrive.
if (long) vi.setConfig({ testTimeout: 1_800_000 });

/**
 * Faults to inject. A silent connection costs an attempt a third of its call's timeout, so only the long form includes
 * it.
 */
const struck = (Object.keys(faults) as Fault[]).filter((fault) => long || !fault.startsWith('silence'));

/** Enough retries for thousands of calls, of which a fifth of the responses fail. */
const patience = { retries: 12, timeoutMs: 120_000 };

/** Starts clients behind a proxy that breaks a fifth of the exchanges. */
async function startUnlucky(seed: number) {
  await using stack = new AsyncDisposableStack();
  const app = stack.use(await startApp());
  const plan = { faults: struck, share: 0.2, random: createRandom(seed) };
  const proxy = stack.use(await startFaultyProxy(app.baseUrl, plan));
  const apiKey = await app.seed.key();
  const newClient = () => createClient({ baseUrl: proxy.baseUrl, apiKey, ...patience });
  const query = <Row extends object>(sql: string) => app.deps.database.em.fork().execute<Row[]>(sql);
  const cleanUp = stack.move();
  return { newClient, proxy, query, [Symbol.asyncDispose]: () => cleanUp.disposeAsync() };
}

/** Change by a writer, as the event log should report it. */
type Done = `${'created' | 'updated' | 'deleted'} ${string}`;

/** Makes ten changes: creates six posts, updates three of them, and deletes one. */
async function tenWrites({ v1: { posts } }: ApiClient, writer: number): Promise<Done[]> {
  const made = await Promise.all(
    Array.from({ length: 6 }, (_, n) => posts.create.mutate({ title: `Post ${writer} ${n}` })),
  );
  const ids = made.map(({ id }) => id);
  const changed = ids.slice(0, 3);
  await Promise.all(changed.map((id) => posts.update.mutate({ id, excerpt: 'Changed' })));
  const gone = ids.slice(5);
  await Promise.all(gone.map((id) => posts.delete.mutate({ id })));
  return [
    ...ids.map((id) => `created ${id}` as const),
    ...changed.map((id) => `updated ${id}` as const),
    ...gone.map((id) => `deleted ${id}` as const),
  ];
}

const writes = long ? 2_000 : 200;
/** Number of concurrent clients. Each waits for its own timeouts, so that the long form ends within minutes. */
const atOnce = { writers: long ? 20 : 10, readers: 5 };

test(`each of ${writes} writes through a proxy that breaks a fifth of the exchanges is executed once`, async () => {
  const seed = newSeed();
  await using unlucky = await startUnlucky(seed);
  const { newClient, proxy, query } = unlucky;
  const client = newClient();
  let begun = 0;
  const done: Done[] = [];
  const writers = Array.from({ length: atOnce.writers }, async () => {
    while (begun < writes / 10) done.push(...(await tenWrites(client, begun++)));
  });
  await Promise.all(writers);

  const told = await query<{ done: Done }>(`
    select replace(name, 'content.', '') || ' ' || (body::json -> 'data' ->> 'id') as done
    from events where name <> 'content.published'`);
  expect(told.map((row) => row.done).toSorted(), `with seed ${seed}`).toEqual(done.toSorted());
  const stored = await query<{ id: string }>('select id from posts');
  const left = done.flatMap((what) =>
    what.startsWith('created') && !done.includes(`deleted ${what.slice(8)}`) ? what.slice(8) : [],
  );
  expect(stored.map(({ id }) => id).toSorted(), `with seed ${seed}`).toEqual(left.toSorted());
  expect([...proxy.counts.keys()].toSorted()).toEqual(struck.toSorted());
});

test('every read in a batch returns the correct result through a proxy that breaks a fifth of the exchanges', async () => {
  const seed = newSeed();
  await using unlucky = await startUnlucky(seed);
  const { newClient, proxy } = unlucky;
  const titles = Array.from({ length: 20 }, (_, n) => `Post ${n}`);
  const writer = newClient();
  for (const title of titles) await writer.v1.posts.create.mutate({ title });
  const rounds = (long ? 100 : 10) / atOnce.readers;
  const readers = Array.from({ length: atOnce.readers }, async () => {
    const client = newClient();
    for (let round = 0; round < rounds; round++) {
      const posts = await Promise.all(
        titles.map((title) => client.v1.posts.get.query({ slug: title.toLowerCase().replace(' ', '-') })),
      );
      expect(
        posts.map(({ title }) => title),
        `with seed ${seed}`,
      ).toEqual(titles);
    }
  });
  await Promise.all(readers);
  expect(proxy.counts.size).toBeGreaterThan(0);
});
