import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { keyPrefix } from '../../server/api/access/credentials.ts';
import { getMailKey } from '../../shared/newsletter/mail-key.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { createCaller } from '../support/http.ts';
import { loadedByServer } from '../support/loaded-modules.ts';
import { findFreePort, memorySettings, runNode } from '../support/process.ts';
import { beginPost, keepConnection } from '../support/raw-http.ts';
import { readReadiness } from '../support/readiness.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startWorkerProcess } from '../support/worker-process.ts';

test('at SIGTERM a running request is finished, idle connections are closed, and the process exits with 0', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using server = await startServerProcess(app.databaseUrl);
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

test('each request is one line of JSON with its route and the prefix of its key, without secrets', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using server = await startServerProcess(app.databaseUrl);
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
    { ...shared, method: 'GET', route: null, path: '/api/*', status: 404, error: 'not_found' },
  ]);
  expect(output).not.toMatch(/in-the-|In the body|in-a-/);
  expect(output).not.toContain(key);
});

test('server, worker and commands report migrations of the database that they do not know', async () => {
  await using app = await startApp();
  await app.deps.database.em.execute("insert into migrations (name) values ('9999-later')");
  const warning = 'was migrated by a newer version, with migrations that this version lacks (9999-later)';

  await using server = await startServerProcess(app.databaseUrl);
  await using worker = await startWorkerProcess({ DATABASE_URL: app.databaseUrl, SECRET_KEY: testSecretKey });
  expect([server.output, worker.lines.join()]).toEqual([
    expect.stringContaining(warning),
    expect.stringContaining(warning),
  ]);
  for (const command of [['migrate'], ['sites', 'list']])
    expect(await runNode(['server/ops.ts', ...command], { DATABASE_URL: app.databaseUrl })).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(warning),
    });
});

test('a server with DATABASE_READ_URLS starts, warns that the setting is no longer used, and does not log its value', async () => {
  await using app = await startApp();
  await app.seed.ownSite();
  await using server = await startServerProcess(app.databaseUrl, {
    DATABASE_READ_URLS: 'postgres://content:secret@127.0.0.1:1/content?target_session_attrs=read-write',
  });

  const warnings = linesOf(server.output).filter(({ level }) => level === 40);
  expect(warnings.map(({ msg }) => msg)).toEqual([
    'DATABASE_READ_URLS is no longer used: all reads go to the primary at DATABASE_URL; remove the setting',
  ]);
  expect(server.output).not.toContain('secret@');
});

test('a database without all migrations is refused, with the command to run', async () => {
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

test.for([
  ['package.json', 2],
  ['deploy/Containerfile', 1],
  ['deploy/systemd/content-backup.service', 1],
  ['deploy/systemd/content-server.service', 1],
  ['deploy/systemd/content-worker.service', 1],
  ['docs/operate/install.md', 1],
] as const)('%s starts the service with the memory settings of these tests', async ([file, times]) => {
  const text = await readFile(file, 'utf8');

  for (const [name, value] of Object.entries(memorySettings))
    expect(text.match(new RegExp(`${name}\\W+(${name}:-)?${value}\\b`, 'g')), name).toHaveLength(times);
});

/** Packages and Node modules that only some requests need. */
const costly = new RegExp(
  [
    '/node_modules/(undici|trpc-to-openapi|@modelcontextprotocol|@scalar|nodemailer|file-type)/',
    '/node_modules/(markdown-it|highlight.js|sanitize-html|yaml|smol-toml|fast-xml-parser|yauzl)/',
    '/@trpc/server/dist/adapters/',
    'NativeModule internal/deps/undici',
  ].join('|'),
);

test('a server that answers reads has not loaded modules that only other requests need', async () => {
  await using app = await startApp();
  const key = await app.seed.key();

  const loaded = await loadedByServer(app.databaseUrl, async (baseUrl) => {
    const answer = await createCaller(baseUrl)('GET', '/api/v1/posts', { key });
    expect(answer.status).toBe(200);
  });

  expect(loaded).toContainEqual(expect.stringContaining('/server/start/app.ts'));
  expect(loaded).toContain('NativeModule http');
  expect(loaded.filter((name) => costly.test(name))).toEqual([]);
});

test('the first server of an empty installation creates a site with the owner in its settings, and later ones find it', async () => {
  await using app = await startApp();
  const login = { email: 'ada@example.org', password: 'correct horse battery' };
  const environment = { OWNER_EMAIL: login.email, OWNER_PASSWORD: login.password };

  await using one = await startServerProcess(app.databaseUrl, environment);
  await using other = await startServerProcess(app.databaseUrl, environment);

  const count = await app.deps.database.em.execute('select name, plan from sites');
  expect(count).toEqual([{ name: 'My site', plan: 'pro' }]);
  for (const { baseUrl } of [one, other]) {
    const session = await createCaller(baseUrl)('POST', '/api/admin/session', { body: login });
    expect(session.status).toBe(201);
  }
  expect(one.output + other.output).not.toContain(login.password);
  expect(one.output + other.output).not.toContain('there is no site yet');
});

test('a server without a site reports it, with instructions', async () => {
  await using app = await startApp();
  await using server = await startServerProcess(app.databaseUrl);

  expect(linesOf(server.output).filter(({ level }) => level === 40)).toMatchObject([
    { msg: expect.stringMatching(/^there is no site yet: set OWNER_EMAIL and OWNER_PASSWORD/) },
  ]);
});

test("server and worker report a SECRET_KEY that differs from the key of stored secrets, and a MEDIA_URL that is not the installation's store", async () => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const body = { url: 'https://93.184.215.14/hook', events: ['content.created'] };
  expect(await app.post('/api/admin/webhooks', { key: token, body })).toMatchObject({ status: 201 });
  await getMailKey(app.deps, await app.seed.ownSite());
  await app.deps.media.check();

  for (const [SECRET_KEY, mediaDir, isOther] of [
    [testSecretKey, app.mediaDir, false],
    ['another secret key', path.join(app.mediaDir, 'elsewhere'), true],
  ] as const) {
    const settings = { SECRET_KEY, MEDIA_URL: pathToFileURL(mediaDir).href };
    await using server = await startServerProcess(app.databaseUrl, settings);
    await using worker = await startWorkerProcess({ DATABASE_URL: app.databaseUrl, ...settings });
    const isReported = (warning: string) =>
      [server.output, worker.lines.join()].map((output) => output.includes(warning));
    expect(isReported('SECRET_KEY cannot decrypt 1 of 1 webhook secrets')).toEqual([isOther, isOther]);
    expect(isReported('newsletter keys')).toEqual([isOther, isOther]);
    const mediaWarning = 'it is not marked as the store of this installation';
    if (isOther) await eventually(() => !isReported(mediaWarning).includes(false));
    expect((await readReadiness(server.baseUrl)).body).toEqual({
      status: 'ready',
      ...(isOther && { degraded: [{ what: 'media', reason: 'media store unavailable' }] }),
    });
    expect(isReported(mediaWarning)).toEqual([isOther, isOther]);
  }
});

test('metrics are served on the configured address', async () => {
  await using app = await startApp();
  const port = await findFreePort();
  const address = { METRICS_HOST: '127.0.0.2', METRICS_PORT: String(port) };
  await using _server = await startServerProcess(app.databaseUrl, address);

  const metrics = await fetch(`http://127.0.0.2:${port}/metrics`);
  expect(await metrics.text()).toContain('process_resident_memory_bytes');
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
});

test('a second server or worker with the same METRICS_PORT reports which setting to change', async () => {
  await using app = await startApp();
  const secrets = { SECRET_KEY: testSecretKey, DATABASE_URL: app.databaseUrl };
  for (const [program, above] of [
    ['server/main.ts', 0],
    ['worker/main.ts', 1],
  ] as const) {
    const taken = await findFreePort();
    await using _other = await listenOn(taken);
    const ports = { METRICS_PORT: String(taken - above), PORT: String(await findFreePort()) };
    const environment = { ...secrets, ...ports };
    expect(await runNode([program], environment)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining(`Metrics address 127.0.0.1:${taken} is already in use`),
    });
  }
});

test('an invalid database URL is refused with instructions for special characters in a password', async () => {
  const given = { DATABASE_URL: 'postgres://content:a/b@127.0.0.1:5432/content', SECRET_KEY: testSecretKey };
  const { exitCode, output } = await runNode(['server/main.ts'], given);
  expect({ exitCode, output }).toEqual({
    exitCode: 1,
    output: expect.stringMatching(/DATABASE_URL: expected an address .* as %40 %3A %2F/),
  });
});

test('an incomplete owner is refused', async () => {
  const given = { DATABASE_URL: 'postgres://nowhere/none', SECRET_KEY: testSecretKey };
  expect(await runNode(['server/main.ts'], { ...given, OWNER_EMAIL: 'ada@example.org' })).toMatchObject({
    exitCode: 1,
    output: expect.stringContaining('OWNER_PASSWORD: is required with OWNER_EMAIL'),
  });
});

test('a database and a secret key are required', async () => {
  expect(await runNode(['server/main.ts'])).toEqual({
    exitCode: 1,
    output: `Invalid settings:
  DATABASE_URL: is required
  SECRET_KEY: is required
\`node server/main.ts --help\` lists all settings.
`,
  });
});

const linesOf = (output: string): Record<string, unknown>[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Starts another program on a port. */
async function listenOn(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { [Symbol.asyncDispose]: () => new Promise<void>((closed) => server.close(() => closed())) };
}
