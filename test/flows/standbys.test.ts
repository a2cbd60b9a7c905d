import pg from 'pg';
import { Registry } from 'prom-client';
import { expect, inject, test } from 'vitest';
import { startApp } from '../support/app.ts';
import { databaseAt } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { createClients, titleOf, type WayToRead } from '../support/registers.ts';
import { type ReplicatedServer, startPrimary } from '../support/standby.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const isLong = process.env.FAULTS === 'long';
const rounds = isLong ? 100 : 10;
/** Each reader reads so often in a round, beside the writes. */
const readsPerRound = 3;

const slugs = ['first', 'second'] as const;

/** What statements find on a server; the last one gives `found`. */
async function ask(server: ReplicatedServer, database: string, statement: string) {
  const client = new pg.Client({ connectionString: databaseAt(server.url, database) });
  await client.connect();
  try {
    return (await client.query<{ found: string }>(statement)).rows;
  } finally {
    await client.end();
  }
}

test('whatever befalls standbys, nothing that was read from them is stale, and while they are well they answer', {
  timeout: 600_000,
}, async () => {
  await using primary = await startPrimary();
  await using one = await primary.startStandby('one', false);
  await using two = await primary.startStandby('two', false);
  await using three = await primary.startStandby('three', false);
  await using way = await startProxy(one);
  const throughProxy = new URL(one.url);
  throughProxy.port = `${way.port}`;
  const metrics = new Registry();
  await using app = await startApp({
    serverUrl: primary.url,
    standbyUrls: [throughProxy.href, two.url, three.url],
    metrics,
  });
  const database = new URL(app.databaseUrl).pathname.slice(1);
  const seed = newSeed();
  const random = createRandom(seed);
  const key = await app.seed.key({ scopes: ['read', 'write', 'read:content'] });
  const ids = new Map<string, string>();
  for (const slug of slugs) {
    const { body } = await app.post('/api/v1/posts', { key, body: { slug, title: titleOf(slug, '0') } });
    ids.set(slug, (body as { id: string }).id);
  }
  const clients = createClients({ key, random, baseUrls: () => [app.baseUrl] });
  const readers = waysToRead(ids).map(clients.createReader);
  let version = 0;
  let limit = 10;
  const readFrom = async () => {
    const values = (await metrics.getSingleMetric('standby_reads_total')?.get())?.values ?? [];
    const of = (from: string) => values.find(({ labels }) => labels.from === from)?.value ?? 0;
    return { standby: of('standby'), primary: of('primary') };
  };

  async function update(slug: string) {
    const wrote = String(++version);
    const body = { title: titleOf(slug, wrote) };
    const path = `/api/v1/posts/${ids.get(slug)}`;
    await clients.write({ method: 'PATCH', path, body, name: slug, wrote, isRepeated: false });
  }

  const readSome = async (read: () => Promise<void>) => {
    for (let time = 0; time < readsPerRound; time++) await read();
  };

  /** How many statements standbys answered, of those that they could. */
  async function play() {
    const before = await readFrom();
    for (let round = 0; round < rounds; round++)
      await Promise.all([...slugs.map(update), ...readers.map(readSome)]);
    const after = await readFrom();
    return { standby: after.standby - before.standby, primary: after.primary - before.primary };
  }

  const versionIn = async (server: ReplicatedServer) =>
    (await ask(server, database, 'select sum(version)::text as found from collection_state'))[0]?.found;

  const placeIn = async (server: ReplicatedServer) => {
    const [place] = await ask(
      server,
      database,
      `select (case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_flush_lsn() end)::text as found`,
    );
    return place?.found;
  };

  /** They answer reads that nobody has asked before. */
  async function isWell() {
    await eventually(async () => {
      const before = await readFrom();
      for (let n = 0; n < 4; n++) await clients.ask({ path: `/api/v1/posts?q=${random()}` });
      const after = await readFrom();
      return after.standby - before.standby >= 4;
    });
  }

  const freshly = (slug: string) => clients.ask({ path: `/api/v1/posts?q=${slug}&limit=${++limit}` });
  const isOurs = async () => {
    for (const slug of slugs) {
      const answer = await freshly(slug);
      expect(answer?.text).toContain(titleOf(slug, ''));
      expect(answer?.text).not.toContain('999999');
    }
  };

  /** A write that a standby has and the primary does not show. None waits until another process has seen that it should. */
  async function writesAhead() {
    let isWritten = false;
    const writing = update('first').finally(() => {
      isWritten = true;
    });
    await eventually(
      async () => isWritten || Number(await versionIn(one)) > Number(await versionIn(primary)),
    );
    return !isWritten && { writing };
  }

  const answered: Record<string, { standby: number; primary: number }> = {};
  await isWell();
  answered.well = await play();

  // A standby has a write earlier than the primary shows it, which waits for its standbys.
  await using waits = {
    [Symbol.asyncDispose]: () => set(primary, database, `synchronous_standby_names = ''`),
  };
  await set(primary, database, `synchronous_standby_names = 'nobody'`);
  const { writing } = await eventually(writesAhead);
  for (let n = 0; n < 4; n++)
    expect((await freshly('first'))?.text).not.toContain(titleOf('first', `${version}`));
  await waits[Symbol.asyncDispose]();
  await writing;
  expect((await freshly('first'))?.text).toContain(titleOf('first', `${version}`));

  const killed = play();
  await three.kill();
  answered.killed = await killed;

  const both = [one, two];
  await Promise.all(
    both.map((server) => ask(server, database, 'select pg_wal_replay_pause()::text as found')),
  );
  answered.paused = await play();
  // Else a read of them could not be stale.
  for (const server of both) expect(await versionIn(server)).not.toBe(await versionIn(primary));
  await ask(two, database, 'select pg_wal_replay_resume()::text as found');
  answered.onePaused = await play();
  await ask(one, database, 'select pg_wal_replay_resume()::text as found');
  await isWell();

  await Promise.all(both.map((server) => set(server, database, `recovery_min_apply_delay = '20ms'`)));
  answered.slow = await play();
  await Promise.all(both.map((server) => set(server, database, 'recovery_min_apply_delay = 0')));
  await isWell();

  way.stall();
  answered.cutOff = await play();
  way.flow();
  await isWell();

  await set(two, database, `primary_conninfo = ''`);
  answered.following = await play();

  // What it takes from now on is of another timeline, though the log of the primary has not gone on.
  await eventually(async () => (await placeIn(one)) === (await placeIn(primary)));
  await one.promote();
  const [theirs] = await ask(
    one,
    database,
    `update posts set title = slug || ' v999999' returning title as found`,
  );
  expect(theirs?.found).toContain('v999999');
  await isOurs();
  const { port, username, password } = new URL(one.url);
  await set(
    two,
    database,
    `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'`,
  );
  await eventually(async () => {
    const [title] = await ask(two, database, `select title as found from posts where title like '%999999'`);
    return title !== undefined;
  });
  await isOurs();
  answered.promoted = await play();

  for (const slug of slugs)
    expect([seed, slug, clients.contradictionOf(slug, '0')]).toEqual([seed, slug, null]);
  expect(answered.well?.standby).toBeGreaterThan(0);
  expect(answered.promoted?.standby).toBe(0);
  if (isLong) console.log(clients.counted, answered);
});

async function set(server: ReplicatedServer, database: string, setting: string) {
  await ask(server, database, `alter system set ${setting}`);
  await ask(server, database, 'select pg_reload_conf()::text as found');
}

/** Some of them are kept once they were read, and some are asked for in another way each time. */
const waysToRead = (ids: Map<string, string>): WayToRead[] => [
  ...slugs.flatMap((slug) => [
    { shows: [slug], path: `/api/v1/posts/${slug}` },
    { shows: [slug], path: `/api/v2/posts/${ids.get(slug)}` },
    { shows: [slug], path: `/posts/${slug}` },
    { shows: [slug], path: `/api/v1/posts?q=${slug}` },
  ]),
  ...['/api/v1/posts', '/api/v2/posts?per_page=5', '/'].map((path) => ({ shows: slugs, path })),
];

test('a database whose commits show before they are on the disk has no standbys that could be read from', async () => {
  const url = inject('databaseUrl');
  await expect(startApp({ standbyUrls: [url] })).rejects.toThrow(
    'DATABASE_READ_URLS: with synchronous_commit = off',
  );
});
