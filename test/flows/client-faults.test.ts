import { expect, test, vi } from 'vitest';
import { type ApiClient, createClient } from '../../client/sdk/index.ts';
import { startApp } from '../support/app.ts';
import { type Fault, faults, startFaultyProxy } from '../support/faulty-proxy.ts';
import { createRandom, newSeed } from '../support/random.ts';

const long = process.env.FAULTS === 'long';

// The tests wait for responses that never arrive.
vi.setConfig({ testTimeout: long ? 1_800_000 : 600_000 });

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

test('every read in a batch returns the correct result through such a proxy', async () => {
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
