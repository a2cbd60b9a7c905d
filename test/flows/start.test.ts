import { once } from 'node:events';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, test } from 'vitest';
import { runOps } from '../support/backups.ts';
import { createEmptyDatabase, createMigratedDatabase } from '../support/empty-database.ts';
import { folderSize, megabyte } from '../support/folder-size.ts';
import { createCaller } from '../support/http.ts';
import { findFreePort, runNode } from '../support/process.ts';
import { makeDataDir, ready, startEverything } from '../support/start-command.ts';

test('the first start prints a working login and key, a second one beside it prints what is running, and the next one keeps everything', async () => {
  const dataDir = await makeDataDir();
  const compiled = path.join(dataDir, 'compiled');
  await using first = await startEverything({ dataDir, environment: { NODE_COMPILE_CACHE: compiled } });
  await first.says(ready);

  const [, password = ''] = await first.says(/password (\S{20}) {2}\(shown only once\)/);
  const [, key = ''] = await first.says(/API key {2}(svc_live_\S{38})\n/);
  expect(first.output).toContain(`ready: ${first.baseUrl}\n`);
  expect(first.output).toContain(
    `curl -H 'Authorization: Bearer ${key}' '${first.baseUrl}/api/v1/posts?limit=3'\n`,
  );
  expect(first.output).toContain(
    `curl -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"title":"Hello, world"}' ${first.baseUrl}/api/v1/posts\n`,
  );
  expect(first.output).toContain(` ${first.baseUrl}/docs\n`);
  const call = createCaller(first.baseUrl);
  const login = { email: 'owner@example.com', password };
  expect(await call('POST', '/api/admin/session', { body: login })).toMatchObject({ status: 201 });
  expect(await call('POST', '/api/v1/posts', { key, body: { title: 'Hello, world' } })).toMatchObject({
    status: 201,
  });
  expect(await modeOf(dataDir, 'secret-key')).toBe('600');
  expect(await modeOf(dataDir, 'demo-key')).toBe('600');
  await using beside = await startEverything({ dataDir });
  expect(await beside.ended()).toEqual({
    exitCode: 1,
    output: expect.stringContaining('is already running as process'),
  });
  // One email by the server and one by the worker.
  await call('POST', '/trpc/site.members.requestCode', { body: { json: { email: 'grace@example.com' } } });
  await call('POST', '/api/admin/password-reset', { body: { email: login.email } });
  await first.says(/email stored in the outbox[\s\S]*email stored in the outbox/);
  const kinds = (await readdir(path.join(dataDir, 'outbox'))).map((name) => name.split('.')[1]);
  expect(kinds.toSorted()).toEqual(['code', 'reset']);
  first.signal('SIGTERM');
  expect(await first.ended()).toMatchObject({ exitCode: 0 });
  // Server and worker share it, so the cache is stored once (flows/install checks the total size).
  expect(await folderSize(compiled)).toBeLessThan(20 * megabyte);

  await using second = await startEverything({ dataDir });
  await second.says(ready);

  expect(second.output).not.toContain(password);
  expect(second.output).toContain(`to reset it: npx -y pnpm ops people reset-password ${login.email}\n`);
  expect(second.output).toContain(`API key  ${key}\n`);
  const callAgain = createCaller(second.baseUrl);
  expect(await callAgain('GET', '/api/v1/posts/hello-world', { key })).toMatchObject({ status: 200 });
  expect(await callAgain('POST', '/api/admin/session', { body: login })).toMatchObject({ status: 201 });
});

test('if the database exits, `pnpm start` ends everything with a message and a nonzero exit code, and the next start has all writes', async () => {
  const dataDir = await makeDataDir();
  await using first = await startEverything({ dataDir });
  await first.says(ready);
  const [, key = ''] = await first.says(/API key {2}(svc_live_\S{38})\n/);
  const body = { title: 'Before the end' };
  expect(await createCaller(first.baseUrl)('POST', '/api/v1/posts', { key, body })).toMatchObject({
    status: 201,
  });

  const [pid] = (await readFile(path.join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), 'utf8')).split(
    '\n',
  );
  process.kill(Number(pid), 'SIGQUIT');

  expect(await first.ended()).toEqual({
    exitCode: 1,
    output: expect.stringMatching(/PostgreSQL ended unexpectedly; see its log: .*postgres\.log/),
  });
  await using second = await startEverything({ dataDir });
  await second.says(ready);
  const call = createCaller(second.baseUrl);
  expect(await call('GET', '/api/v1/posts/before-the-end', { key })).toMatchObject({ status: 200 });
});

test('two starts on one new database create one site with one owner and one demo key', async () => {
  await using database = await createEmptyDatabase();
  const environment = { DATABASE_URL: database.url };

  await using one = await startEverything({ dataDir: await makeDataDir(), environment });
  await using other = await startEverything({ dataDir: await makeDataDir(), environment });
  await Promise.all([one.says(ready), other.says(ready)]);

  expect(await database.query('select count(*)::integer as sites from sites')).toEqual([{ sites: 1 }]);
  expect(await database.query('select count(*)::integer as owners from people')).toEqual([{ owners: 1 }]);
  expect(await database.query('select count(*)::integer as keys from api_keys')).toEqual([{ keys: 1 }]);
});

test('in production no example content is created, and the owner is the given one', async () => {
  await using database = await createEmptyDatabase();
  const login = { email: 'ada@example.org', password: 'correct horse battery' };

  await using running = await startEverything({
    dataDir: await makeDataDir(),
    environment: {
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      SECRET_KEY: 'a secret key for tests',
      OWNER_EMAIL: login.email,
      OWNER_PASSWORD: login.password,
    },
  });
  await running.says(ready);

  expect(running.output).not.toContain(login.password);
  expect(await database.query('select name from sites')).toEqual([{ name: 'My site' }]);
  expect(await database.query('select count(*)::integer as posts from posts')).toEqual([{ posts: 0 }]);
  expect(await database.query('select count(*)::integer as keys from api_keys')).toEqual([{ keys: 0 }]);
  const call = createCaller(running.baseUrl);
  expect(await call('POST', '/api/admin/session', { body: login })).toMatchObject({ status: 201 });
});

test('a port in use is reported before anything is created, with an alternative', async () => {
  const dataDir = await makeDataDir();
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const PORT = String(Object(taken.address()).port);

  await using running = await startEverything({ dataDir, environment: { PORT } });
  const { exitCode, output } = await running.ended();
  taken.close();

  expect({ exitCode, output }).toEqual({
    exitCode: 1,
    output: `Port ${PORT} is already in use by another program. Choose another, such as PORT=${Number(PORT) + 1}.\n`,
  });
  expect(await readdir(dataDir)).toEqual([]);
});

test('an unreachable database is reported without its password', async () => {
  const dataDir = await makeDataDir();
  const environment = { DATABASE_URL: `postgres://ada:hushhush@127.0.0.1:${await findFreePort()}/content` };

  await using running = await startEverything({ dataDir, environment });
  const { exitCode, output } = await running.ended();

  expect({ exitCode, output }).toEqual({
    exitCode: 1,
    output: expect.stringContaining('Check that PostgreSQL is running and DATABASE_URL is correct.'),
  });
  expect(output).not.toContain('hushhush');
});

test('all invalid settings are reported together, and nothing starts', async () => {
  const { exitCode, output } = await runNode(['server/start.ts'], {
    PORT: 'http',
    PUBLIC_URL: 'ada.example.com',
    RATE_LIMIT_NORMAL: '60',
    NODE_ENV: 'production',
  });

  expect({ exitCode, output }).toEqual({
    exitCode: 1,
    output: `Invalid settings:
  PORT: expected a whole number from 1 to 65535
  PUBLIC_URL: expected an address such as https://ada.example.com
  RATE_LIMIT_NORMAL: expected RATE/BURST, such as 60/10, or off
  SECRET_KEY: is required in production
\`npx -y pnpm start --help\` lists all settings.
`,
  });
});

async function modeOf(dataDir: string, file: string): Promise<string> {
  const { mode } = await stat(path.join(dataDir, file));
  return (mode & 0o777).toString(8);
}

test('an unreachable database is never treated as a new one', async () => {
  const dataDir = await makeDataDir();
  const start = () => startEverything({ dataDir, environment: { DEMO: 'off' } });
  const started = async () => {
    await using running = await start();
    await running.says(ready);
    running.signal('SIGTERM');
    await running.ended();
    return running.output;
  };
  const [cluster, elsewhere] = [path.join(dataDir, 'postgres', 'cluster'), path.join(dataDir, 'unmounted')];
  await started();
  await rename(cluster, elsewhere);

  await using refused = await start();
  expect(await refused.ended()).toEqual({
    exitCode: 1,
    output: expect.stringMatching(/Database missing: .*postgres-made.* ops restore FILE/),
  });
  const listed = await runOps(['sites', 'list'], { dataDir });
  expect(listed).toEqual({ exitCode: 1, output: expect.stringContaining('Database missing') });
  expect(await readdir(path.join(dataDir, 'postgres'))).toEqual(['postgres.log']);

  await rename(elsewhere, cluster);
  expect(await started()).not.toContain('Creating a PostgreSQL database');
  await rm(cluster, { recursive: true });
  await rm(path.join(dataDir, 'postgres-made'));
  expect(await started()).toContain('Creating a PostgreSQL database');
});

test('a missing secret key is never replaced while encrypted secrets exist', async () => {
  await using database = await createMigratedDatabase();
  const dataDir = await makeDataDir();
  const key = path.join(dataDir, 'secret-key');
  const environment = { DATABASE_URL: database.url, DEMO: 'off' };
  for (const [table, insert] of Object.entries(sealed)) {
    await database.query(insert);
    await using refused = await startEverything({ dataDir, environment });
    expect(await refused.ended()).toEqual({
      exitCode: 1,
      output: expect.stringContaining('Secret key missing'),
    });
    expect(await readdir(dataDir)).toEqual([]);
    await database.query(`delete from ${table}`);
  }

  for (const insert of Object.values(sealed)) await database.query(insert);
  await writeFile(key, 'the first\n');
  await using running = await startEverything({ dataDir, environment });
  await running.says(ready);
  expect(await readFile(key, 'utf8')).toBe('the first\n');
});

const sealed = {
  webhook_subscriptions: `
    insert into webhook_subscriptions (site_id, id, url, events, by_key, secret_sealed, active, acknowledged_began, failed_began, created, updated)
    values ('s', 'w', '', '{}', true, 'sealed', true, 0, '{}', now(), now())`,
  mail_keys: `insert into mail_keys (site_id, key_sealed) values ('s', 'sealed')`,
  factors: `
    insert into factors (person_id, id, kind, name, secret_sealed, transports, created)
    values ('p', 'f', 'totp', 'App', 'sealed', '{}', now())`,
};
