import pg from 'pg';
import { expect, test } from 'vitest';
import { serverWaits, type Waits } from '../../shared/db/database-timeouts.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { readReadiness } from '../support/readiness.ts';

const busy = failure(503, 'database_busy', 'the database is busy; try again');

const long = 60_000;
const patient = { ...serverWaits, lockMs: long, readMs: long, transactionMs: long, connectionMs: long };

/** Timeouts with one that is short enough for a test; the others are long, so that no slow machine reaches them. */
const shortOf = (wait: keyof Waits, ms = 300) => ({ ...patient, [wait]: ms });

test('a request to a locked table gets 503 after the lock timeout, and other tables are not affected', async () => {
  await using app = await startApp({ waits: shortOf('lockMs') });
  const key = await app.seed.key();
  await using _lock = await hold(app, 'lock table posts');
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { title: 'Late' }],
  ] as const) {
    const answer = await app.call(method, '/api/v1/posts', { key, body });
    expect(answer).toEqual(busy);
    expect(answer.headers.get('retry-after')).toBe('1');
  }
  expect(await app.get('/api/v1/projects', { key })).toMatchObject({ status: 200 });
});

test('over RPC, a lock timeout is 503 database_busy with retryAfter', async () => {
  await using app = await startApp({ waits: shortOf('lockMs') });
  const key = await app.seed.key();
  await using _lock = await hold(app, 'lock table posts');
  const answer = await app.get('/trpc/v1.posts.list', { key });
  expect(answer).toMatchObject({
    status: 503,
    body: { error: { json: { data: { code: 'database_busy', retryAfter: 1 } } } },
  });
  expect(answer.headers.get('retry-after')).toBe('1');
});

test('a query that takes too long is cancelled, and its connection can be used again', async () => {
  await using app = await startApp({ waits: shortOf('readMs', 3_000) });
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'Slow' } });
  await app.deps.database.em.execute(`
    alter table posts rename to slow_posts;
    create view posts as select * from slow_posts where pg_sleep(60) is not null`);
  expect(await app.get('/api/v1/posts/slow', { key })).toEqual(busy);
  expect(await app.get('/api/v1/projects', { key })).toMatchObject({ status: 200 });
});

test('a statement of a transaction may take longer than the timeout of a read', async () => {
  await using app = await startApp({ waits: shortOf('readMs', 3_000) });
  const key = await app.seed.key();
  const { body } = await app.post('/api/v1/posts', { key, body: { title: 'Slow' } });
  const { id } = body as { id: string };
  await app.deps.database.em.execute(`
    create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(3.5); return new; end $$;
    create trigger linger before update on posts for each row execute function linger()`);
  const changed = { key, body: { title: 'Slower' } };
  expect(await app.patch(`/api/v1/posts/${id}`, changed)).toMatchObject({ status: 200 });
});

test('a request that gets no database connection in time gets 503, and waiting requests succeed later', async () => {
  await using app = await startApp({ waits: shortOf('connectionMs', 3_000) });
  const key = await app.seed.key();
  const lock = await hold(app, 'lock table posts');
  const stuck = Array.from({ length: 5 }, (_, n) => app.get(`/api/v1/posts?limit=${n + 1}`, { key }));
  await untilWaiting(app, 5);
  expect(await app.get('/api/v1/projects', { key })).toEqual(busy);
  await lock[Symbol.asyncDispose]();
  expect((await Promise.all(stuck)).map(({ status }) => status)).toEqual(Array(5).fill(200));
});

test('the readiness check queries the database at most once a second', async () => {
  await using app = await startApp({ waits: shortOf('lockMs') });
  expect(await readReadiness(app)).toMatchObject({ status: 200 });
  await using _lock = await hold(app, 'lock table migrations');
  expect(await app.get('/readyz')).toMatchObject({ status: 200 });
  app.clock.advance({ seconds: 1 });
  expect(await app.get('/readyz')).toEqual({
    status: 503,
    body: { status: 'not ready', reason: 'database unavailable' },
  });
});

/** Runs a statement in a transaction and keeps it open until disposal. */
async function hold({ databaseUrl }: TestApp, statement: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`begin; ${statement}`);
  return { [Symbol.asyncDispose]: () => client.end() };
}

/** Resolves when `count` queries wait for a lock. */
async function untilWaiting({ databaseUrl }: TestApp, count: number) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const waiting = `select count(*)::int as count from pg_locks join pg_database d on d.oid = database
    where d.datname = current_database() and not granted`;
  while ((await client.query<{ count: number }>(waiting)).rows[0]?.count !== count);
  await client.end();
}
