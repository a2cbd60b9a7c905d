import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Registry } from 'prom-client';
import { expect, inject, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { answersOf, callEndpoint, endpoints } from '../support/endpoints.ts';
import { failure } from '../support/http.ts';
import { captureLog } from '../support/log.ts';
import { readReadiness } from '../support/readiness.ts';

// A temporary database error is 503 with Retry-After, leaves no partial write, and never makes a server unready for reads.

const paused = failure(503, 'writes_paused', 'writes are not possible at the moment; try again later');
const unavailable = failure(503, 'database_unavailable', 'the database is unavailable; try again later');

test('with a full disk, writes get 503 and leave no rows; reads are answered, and /readyz reports the degraded state', async () => {
  const log = captureLog();
  const metrics = new Registry();
  await using app = await startApp({ logger: log.logger, metrics });
  const key = await app.seed.key();
  const idempotent = { key, headers: { 'idempotency-key': randomUUID() }, body: { title: 'Kept' } };
  await raiseOn(app, 'events', '53100');
  for (const options of [{ key, body: { title: 'Lost' } }, idempotent]) {
    const answer = await app.post('/api/v1/posts', options);
    expect(answer).toEqual(paused);
    expect(answer.headers.get('retry-after')).toBe('10');
  }
  const overRpc = await app.post('/trpc/v1.posts.create', { key, body: { json: { title: 'Lost' } } });
  expect(overRpc).toMatchObject({
    status: 503,
    body: { error: { json: { data: { code: 'writes_paused', retryAfter: 10 } } } },
  });
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ status: 200, body: { total: 0 } });
  expect(await readReadiness(app)).toEqual({
    status: 200,
    body: { status: 'ready', degraded: [{ what: 'writes', reason: 'database disk full' }] },
  });
  expect(await metrics.metrics()).toContain('degraded{what="writes"} 1');
  for (const { err } of log.errors()) expect(err).toEqual(oneLine('full'));
  await app.deps.database.em.execute('drop trigger trouble on events');
  const written = await app.post('/api/v1/posts', idempotent);
  expect(written).toMatchObject({ status: 201 });
  expect(await app.post('/api/v1/posts', idempotent)).toEqual(written);
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ status: 200, body: { total: 1 } });
});

test('with a read-only database, every endpoint succeeds or returns writes_paused', async () => {
  // No email is sent; endpoints only check that a mail server is configured.
  const smtpUrl = 'smtp://127.0.0.1:9';
  await using app = await startApp({ smtpUrl, webhooks: { lookup: async () => ['93.184.215.14'] } });
  const key = await app.seed.key({ scopes: scopeNames });
  const token = await app.seed.ownerToken();
  await app.post('/api/v1/posts', { key, body: { title: 'Readable' } });
  await alterDatabase(app, 'set default_transaction_read_only = on');
  // The use of a key is stored only if the last stored use is more than a minute old.
  app.clock.advance({ minutes: 2 });
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ status: 200, body: { total: 1 } });
  const answers = await answersOf(endpoints, (endpoint) =>
    callEndpoint(app, endpoint, { key: endpoint.access === 'owner' ? token : key }),
  );
  const wrong = Object.entries(answers).filter(
    ([, { status, body }]) => status >= 500 && JSON.stringify(body) !== JSON.stringify(paused.body),
  );
  expect(wrong).toEqual([]);
  expect(answers['POST /api/v1/posts']).toEqual(paused);
  expect(await app.get('/api/v1/posts/readable', { key })).toMatchObject({ status: 200 });
  expect(await readReadiness(app)).toEqual({
    status: 200,
    body: { status: 'ready', degraded: [{ what: 'writes', reason: 'database is read-only' }] },
  });
  await alterDatabase(app, 'reset default_transaction_read_only');
  app.clock.advance({ seconds: 31 });
  expect(await app.post('/api/v1/posts', { key, body: { title: 'Again' } })).toMatchObject({ status: 201 });
});

test('a write that conflicts with another transaction is retried and done once, with or without an idempotency key', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const { body } = await app.post('/api/v1/posts', { key, body: { title: 'First' } });
  const { id } = body as { id: string };
  for (const [state, headers] of [
    ['40P01', {}],
    ['40001', { 'idempotency-key': randomUUID() }],
  ] as const) {
    await raiseOn(app, 'events', state, 2);
    const title = `Written after ${state}`;
    expect(await app.post('/api/v1/posts', { key, headers, body: { title } })).toMatchObject({ status: 201 });
    await app.deps.database.em.execute('alter sequence tries restart');
    expect(await app.patch(`/api/v1/posts/${id}`, { key, body: { title } })).toMatchObject({ status: 200 });
    await app.deps.database.em.execute('drop trigger trouble on events');
  }
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ body: { total: 3 } });
});

test('a write that keeps conflicting fails with 503 database_busy after five attempts', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await raiseOn(app, 'events', '40001', 1_000);
  for (const headers of [{}, { 'idempotency-key': randomUUID() }]) {
    await app.deps.database.em.execute('alter sequence tries restart');
    const answer = await app.post('/api/v1/posts', { key, headers, body: { title: 'Unlucky' } });
    expect(answer).toEqual(failure(503, 'database_busy', 'the database is busy; try again'));
    expect(await app.deps.database.em.execute(`select last_value::integer as tries from tries`)).toEqual([
      { tries: 5 },
    ]);
  }
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ body: { total: 0 } });
});

test('a lost connection is 503 for a read or a write with an idempotency key, and 500 for a write without one', async () => {
  const log = captureLog();
  await using app = await startApp({ logger: log.logger });
  const key = await app.seed.key();
  await app.post('/api/v1/posts', { key, body: { title: 'Slow' } });
  await app.deps.database.em.execute(`
    create function hold() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return new; end $$;
    create trigger hold before insert on projects for each row execute function hold()`);
  await app.deps.database.em.execute(`
    alter table posts rename to slow_posts;
    create view posts as select * from slow_posts where pg_sleep(60) is not null`);
  const read = app.get('/api/v1/posts/slow', { key });
  await endWaiting(app, 'PgSleep');
  const answer = await read;
  expect(answer).toEqual(unavailable);
  expect(answer.headers.get('retry-after')).toBe('2');
  const keyed = app.post('/api/v1/projects', {
    key,
    headers: { 'idempotency-key': randomUUID() },
    body: { title: 'With a key' },
  });
  await endWaiting(app, 'PgSleep');
  expect(await keyed).toEqual(unavailable);
  const [first, ...others] = log.errors();
  expect([first?.err, others.length]).toEqual([oneLine('away'), 1]);
  const alone = app.post('/api/v1/projects', { key, body: { title: 'Alone' } });
  await endWaiting(app, 'PgSleep');
  expect(await alone).toEqual(failure(500, 'internal_error'));
});

const oneLine = (trouble: string) => ({
  type: expect.any(String),
  message: expect.any(String),
  trouble,
});

/** Raises an error with this SQLSTATE at each insert, or only at the first `times` inserts. */
async function raiseOn({ deps }: TestApp, table: string, state: string, times?: number) {
  await deps.database.em.execute(`
    create sequence if not exists tries;
    alter sequence tries restart;
    create or replace function trouble() returns trigger language plpgsql as $$ begin
      if ${times === undefined ? 'true' : `nextval('tries') <= ${times}`} then
        raise exception 'trouble' using errcode = '${state}';
      end if;
      return new;
    end $$;
    create trigger trouble before insert on ${table} for each row execute function trouble()`);
}

/** Changes a setting of the app's database, and ends all its sessions so that the setting applies to each connection. */
async function alterDatabase({ databaseUrl }: TestApp, what: string) {
  const name = new URL(databaseUrl).pathname.slice(1);
  await asAdmin(`alter database ${name} ${what}`);
  await asAdmin(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
}

/** Waits until a session of the app waits for the given event, then ends that session. */
async function endWaiting({ databaseUrl }: TestApp, event: string) {
  const name = new URL(databaseUrl).pathname.slice(1);
  const end = `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}' and wait_event = '${event}'`;
  while ((await asAdmin(end)).length === 0);
}

async function asAdmin(statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: inject('databaseUrl') });
  await client.connect();
  const { rows } = await client.query(statement).finally(() => client.end());
  return rows;
}
