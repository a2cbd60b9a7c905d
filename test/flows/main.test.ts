import { expect, test } from 'vitest';
import { keyPrefix } from '../../server/access/key-secret.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { createCaller } from '../support/http.ts';
import { findFreePort, runNode, startNode } from '../support/process.ts';
import { beginPost, keepConnection } from '../support/slow-request.ts';

const listening = /"msg":"ready"/;

test('at SIGTERM a request that runs is finished, idle connections end, and the process exits with 0', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using server = await startMain(app.databaseUrl);
  const idle = await keepConnection(server.baseUrl);
  const begun = await beginPost(server.baseUrl, '/api/v1/posts', {
    key,
    body: { title: 'At the last moment' },
  });

  server.signal('SIGTERM');
  await idle.closed;

  expect(await begun.finish()).toMatch(/HTTP\/1\.1 201 Created\r\n(.+\r\n)*connection: close\r\n/i);
  expect(await server.ended()).toMatchObject({ exitCode: 0 });
  expect(await app.get('/api/v1/posts/at-the-last-moment', { key })).toMatchObject({ status: 200 });
});

test('each request is one line of JSON with its route and the beginning of its key, and no secret', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using server = await startMain(app.databaseUrl);
  const call = createCaller(server.baseUrl);

  await call('POST', '/api/v1/posts?token=in-the-query', { key, body: { title: 'In the body' } });
  await call('GET', '/api/in-the-path', {
    headers: { cookie: 'in-a-cookie', 'x-member-token': 'in-a-header' },
  });
  server.signal('SIGTERM');
  const { output } = await server.ended();

  const shared = { level: 30, msg: 'request', ms: expect.any(Number), request_id: expect.any(String) };
  expect(linesOf(output).filter(({ msg }) => msg === 'request')).toMatchObject([
    { ...shared, method: 'POST', route: '/api/v1/posts', status: 201, key_prefix: keyPrefix(key) },
    { ...shared, method: 'GET', route: null, status: 404 },
  ]);
  expect(output).not.toMatch(/in-the-|In the body|in-a-/);
  expect(output).not.toContain(key);
});

test('a database that lacks migrations is refused, with what to run', async () => {
  await using database = await createEmptyDatabase();

  const { exitCode, output } = await runNode(['server/main.ts'], {
    DATABASE_URL: database.url,
    SECRET_KEY: testSecretKey,
    PORT: String(await findFreePort()),
  });

  expect({ exitCode, output }).toEqual({
    exitCode: 1,
    output: expect.stringContaining('run `npx -y pnpm ops migrate`, then start again'),
  });
});

test('a database and a secret key have to be given', async () => {
  expect(await runNode(['server/main.ts'])).toEqual({
    exitCode: 1,
    output: `These settings can't be used:
  DATABASE_URL: is required
  SECRET_KEY: is required
\`node server/main.ts --help\` lists all settings.
`,
  });
});

/** The server as operators run it in production, over a database that is up to date. */
async function startMain(databaseUrl: string) {
  const port = await findFreePort();
  const server = startNode(['server/main.ts'], {
    NODE_ENV: 'production',
    DATABASE_URL: databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: String(port),
  });
  await server.says(listening);
  return Object.assign(server, { baseUrl: `http://localhost:${port}` });
}

const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
