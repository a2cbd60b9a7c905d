import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { startApp } from '../support/app.ts';
import { withPort } from '../support/delivery-stage.ts';
import { createCaller } from '../support/http.ts';
import { createRandom, newSeed } from '../support/random.ts';
import { startServerProcess, withoutLimits } from '../support/server-process.ts';
import { startProxy } from '../support/tcp-proxy.ts';

const long = process.env.FAULTS === 'long';

/** Number of kills. */
const kills = long ? 100 : 10;

if (long) vi.setConfig({ testTimeout: 1_800_000 });

/** Steps at which a server is killed, recognized by its messages on a database connection. */
const timestamps = [
  { name: 'after the commit, before its confirmation', hold: 'holdAnswer', isCarriedOut: true },
  { name: 'after the commit, before its confirmation', hold: 'holdAnswer', isCarriedOut: true },
  { name: 'before the commit', hold: 'holdRequest', isCarriedOut: false },
] as const;

interface Write {
  path: string;
  body: (name: string) => object;
  /** SQL for the rows that the write leaves, given their name. */
  rows: (name: string) => string;
  /** Returns the ID of the row from the response. */
  idOf?: (body: unknown) => string;
}

interface WithId {
  id: string;
}

const byRest = (body: unknown) => (body as WithId).id;
const byRpc = (body: unknown) => (body as { result: { data: { json: WithId } } }).result.data.json.id;
const rowsOf = (table: string, column: string) => (name: string) =>
  `select id from ${table} where ${column} like '${name}%'`;

/** Writes over REST and RPC; by key, owner and visitor; one returns a secret that is shown only once. */
const writes: Record<'key' | 'owner' | 'visitor', Write[]> = {
  key: [
    { path: '/api/v1/posts', body: (title) => ({ title }), rows: rowsOf('posts', 'title'), idOf: byRest },
    {
      path: '/trpc/v1.projects.create',
      body: (title) => ({ json: { title } }),
      rows: rowsOf('projects', 'title'),
      idOf: byRpc,
    },
  ],
  owner: [
    {
      path: '/api/admin/api-keys',
      body: (name) => ({ name, scopes: ['read'] }),
      rows: rowsOf('api_keys', 'name'),
      idOf: byRest,
    },
  ],
  visitor: [
    {
      path: '/trpc/site.newsletter.subscribe',
      body: (name) => ({ json: { email: `${name}@example.com` } }),
      rows: rowsOf('subscribers', 'email'),
    },
  ],
};

test(`${kills} servers killed around the commit: no write is repeated or lost, and a retry returns the first answer`, async () => {
  const seed = newSeed();
  const random = createRandom(seed);
  await using app = await startApp();
  await using proxy = await startProxy({ port: Number(new URL(app.databaseUrl).port) });
  const choices = Object.entries(writes).flatMap(([who, own]) => own.map((write) => ({ who, write })));
  const query = (statement: string) => app.deps.database.em.execute<{ id: string }[]>(statement);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const start = () => startServerProcess(withPort(app.databaseUrl, proxy.port), withoutLimits);

  let server = await start();
  const login = await createCaller(server.baseUrl)('POST', '/api/admin/session', {
    body: await app.seed.owner(),
  });
  const { token } = login.body as { token: string };
  const credentials = { key: await app.seed.key(), owner: token, visitor: '' };
  for (let kill = 0; kill < kills; kill++) {
    const [{ who, write }, timestamp] = [pick(choices), pick(timestamps)];
    const about = `kill ${kill} with seed ${seed}: ${write.path}, ${timestamp.name}`;
    const name = `k${kill}-${randomUUID()}`;
    const idempotencyKey = randomUUID();
    const request = {
      key: credentials[who as keyof typeof credentials],
      body: write.body(name),
      headers: { 'idempotency-key': idempotencyKey },
    };
    const next = start();
    // A prepared statement is sent without its text, but always with the idempotency key.
    const held = proxy[timestamp.hold](new RegExp(idempotencyKey), /commit\0/i);
    const lost = createCaller(server.baseUrl)('POST', write.path, request).catch(() => 'lost');
    expect([about, await Promise.race([held.then(() => 'reached'), lost])]).toEqual([about, 'reached']);
    server.signal('SIGKILL');
    expect([about, await lost]).toEqual([about, 'lost']);
    server = await next;

    const executed = await query(write.rows(name));
    expect([about, executed.length]).toEqual([about, timestamp.isCarriedOut ? 1 : 0]);
    const again = await createCaller(server.baseUrl)('POST', write.path, request);
    expect([about, again.status]).toEqual([about, expect.toBeOneOf([200, 201])]);
    expect([about, again.headers.get('idempotency-replayed')]).toEqual([
      about,
      timestamp.isCarriedOut ? 'true' : null,
    ]);
    const rows = await query(write.rows(name));
    expect([about, rows.length]).toEqual([about, 1]);
    if (write.idOf) expect([about, write.idOf(again.body)]).toEqual([about, rows[0]?.id]);
    const { key: secret } = again.body as { key?: string };
    if (secret)
      expect(await createCaller(server.baseUrl)('GET', '/api/v1/profile', { key: secret })).toMatchObject({
        status: 200,
      });
  }
  await server[Symbol.asyncDispose]();
});
