import { expect, inject, test } from 'vitest';
import { scopeNames } from '../../shared/contract/scopes.ts';
import { openDatabase } from '../../shared/db/config.ts';
import { startApp, type TestApp } from '../support/app.ts';
import {
  answersOf,
  callEndpoint,
  endpoints,
  keyEndpoints,
  ownerEndpoints,
  sameFrom,
} from '../support/endpoints.ts';
import { failure } from '../support/http.ts';
import { captureLog } from '../support/log.ts';
import { readReadiness } from '../support/readiness.ts';

// An unreachable database is 503 database_unavailable, a failing query 500 internal_error. No body contains the cause.

const unavailable = failure(503, 'database_unavailable');
const internalError = failure(500, 'internal_error');

test('while the database is unreachable, every endpoint returns database_unavailable and logs one error', async () => {
  const log = captureLog();
  await using app = await startApp({
    logger: log.logger,
    webhooks: { lookup: async () => ['93.184.215.14'] },
  });
  const key = await app.seed.key({ scopes: scopeNames });
  const token = await app.seed.ownerToken();
  await expectHealthy(app, key);
  await using _outage = await cutOff(app);
  const credentialed = [...keyEndpoints, ...ownerEndpoints];
  const ids: (string | null)[] = [];
  const answers = await answersOf(credentialed, async (endpoint) => {
    const answer = await callEndpoint(app, endpoint, { key: endpoint.access === 'owner' ? token : key });
    ids.push(answer.headers.get('x-request-id'));
    return answer;
  });
  expect(answers).toEqual(sameFrom(credentialed, unavailable));
  expect(
    log
      .errors()
      .map(({ request_id }) => request_id)
      .toSorted(),
  ).toEqual(ids.toSorted());
  for (const { err } of log.errors())
    expect(err).toEqual({ type: 'DatabaseUnavailableError', message: expect.any(String), trouble: 'away' });
  // The confirmation of an email address rejects an unknown link before it queries the database, so it is left out.
  const logIn = endpoints.filter(
    ({ access, path }) => access === 'public' && !path.endsWith('/email/confirm'),
  );
  expect(await answersOf(logIn, (endpoint) => callEndpoint(app, endpoint))).toEqual(
    sameFrom(logIn, unavailable),
  );
});

test('while the database is unreachable, a request without a key still gets 401 and an unknown path 404', async () => {
  await using app = await startApp();
  await using _outage = await cutOff(app);
  expect(await app.get('/api/v1/posts')).toEqual(failure(401, 'unauthorized'));
  expect(await app.get('/api/v1/nothing')).toEqual(failure(404, 'not_found'));
});

test('the process survives an outage: alive but not ready during it, ready and serving afterwards', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await expectHealthy(app, key);
  {
    await using _outage = await cutOff(app);
    expect(await app.get('/api/v1/posts', { key })).toEqual(unavailable);
    expect(await app.get('/healthz')).toMatchObject({ status: 200 });
    app.clock.advance({ seconds: 1 });
    expect(await app.get('/readyz')).toMatchObject({ status: 503 });
  }
  await expectHealthy(app, key);
});

test('the response to a failing query contains no SQL, table name, value or stack', async () => {
  const log = captureLog();
  await using app = await startApp({ logger: log.logger });
  const key = await app.seed.key();
  await app.deps.database.em.execute('alter table posts rename to elsewhere');
  const body = { title: 'A secret title' };
  for (const [method, path] of [
    ['GET', '/api/v1/posts'],
    ['GET', '/api/v1/posts/hello'],
    ['POST', '/api/v1/posts'],
  ] as const) {
    const answer = await app.call(method, path, { key, ...(method === 'POST' && { body }) });
    expect(answer).toEqual(internalError);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  }
  expect(log.errors()).toHaveLength(3);
  for (const { err } of log.errors()) expect(err?.message).toContain('posts');
});

test('a write that fails halfway leaves no rows', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const posts = await app.post('/api/v1/posts', { key, body: { title: 'Before' } });
  const { id } = posts.body as { id: string };
  await app.deps.database.em.execute('alter table events rename to elsewhere');
  expect(await app.post('/api/v1/posts', { key, body: { title: 'Lost' } })).toEqual(internalError);
  expect(await app.patch(`/api/v1/posts/${id}`, { key, body: { title: 'After' } })).toEqual(internalError);
  expect(await app.delete(`/api/v1/posts/${id}`, { key })).toEqual(internalError);
  const { body } = await app.get('/api/v1/posts?fields=title', { key });
  expect(body).toEqual({ data: [{ title: 'Before' }], total: 1, count: 1, per_page: 20 });
});

async function expectHealthy(app: TestApp, key: string) {
  expect(await app.get('/api/v1/posts', { key })).toMatchObject({ status: 200 });
  app.clock.advance({ seconds: 1 });
  expect(await readReadiness(app)).toMatchObject({ status: 200 });
}

/** Ends the app's connections and refuses new ones until disposal. */
async function cutOff({ databaseUrl }: TestApp) {
  const name = new URL(databaseUrl).pathname.slice(1);
  const admin = await openDatabase({ url: inject('databaseUrl'), poolSize: 1, applicationName: 'outage' });
  await admin.em.execute(`alter database ${name} with allow_connections false`);
  await admin.em.execute(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
  );
  return {
    async [Symbol.asyncDispose]() {
      await admin.em.execute(`alter database ${name} with allow_connections true`);
      await admin.close();
    },
  };
}
