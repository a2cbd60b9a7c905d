import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { rowsOf } from '../support/archives.ts';
import { eventually } from '../support/eventually.ts';
import { formOf, smallestImage } from '../support/images.ts';
import { openRaw } from '../support/raw-http.ts';
import { ownerClient } from '../support/rpc.ts';
import { runSlowStatement } from '../support/statistics.ts';

// A request body may take a minute to arrive, and its sender may lose access during that time.

/** Sends a request except for its last byte, and resolves when the server has admitted it. `finish` sends the last byte. */
async function begin(app: TestApp, { path, token, body }: { path: string; token: string; body: object }) {
  await rowsOf(app, 'update owner_sessions set last_used_at = null');
  const connection = await openRaw(app.baseUrl);
  const text = JSON.stringify(body);
  const type = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream';
  connection.send(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n${type}\r\nContent-Length: ${text.length}\r\n\r\n`,
  );
  connection.send(text.slice(0, -1));
  await eventually(async () => {
    const used = await rowsOf(
      app,
      `select from api_keys where last_used_at is not null union all
       select from owner_sessions where last_used_at is not null`,
    );
    return used.length === 1;
  });
  return Object.assign(connection, {
    async finish() {
      connection.send(text.slice(-1));
      const [reply] = await connection.replies(1);
      return reply;
    },
  });
}

const post = { path: '/api/v1/posts', body: { title: 'Late' } };
const tool = {
  path: '/mcp',
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'create_post', arguments: { title: 'Late' } },
  },
};

test.for([
  ['deleted', 'delete from api_keys', 'unauthorized', 401],
  ['disabled', 'update api_keys set active = false', 'key_disabled', 403],
  ['restricted to reading', `update api_keys set scopes = '{read}'`, 'insufficient_scope', 403],
  [
    'of a site whose plan no longer includes the API',
    `update sites set plan = 'free'`,
    'insufficient_scope',
    403,
  ],
] as const)('a key that is %s while a body arrives writes nothing', async ([, change, code, status]) => {
  await using app = await startApp();
  const token = await app.seed.key({ scopes: ['read', 'write'] });
  using sender = await begin(app, { ...post, token });

  await rowsOf(app, change);
  app.clock.advance({ seconds: 2 });

  expect(await sender.finish()).toMatchObject({ status, body: { error: { code } } });
  expect(await rowsOf(app, 'select from posts')).toEqual([]);
});

test.for([
  ['who no longer works on the site', 'delete from site_people', 'unauthorized', 401],
  ['who became an editor', `update site_people set role = 'editor'`, 'unauthorized', 401],
  ['whose session ended', 'delete from owner_sessions', 'unauthorized', 401],
] as const)('an owner %s before the body is complete creates no key', async ([, change, code, status]) => {
  await using app = await startApp();
  const token = await app.seed.ownerToken();
  const making = { path: '/api/admin/api-keys', body: { name: 'Late', scopes: ['read'] } };
  using sender = await begin(app, { ...making, token });

  await rowsOf(app, change);
  app.clock.advance({ seconds: 2 });

  expect(await sender.finish()).toMatchObject({ status, body: { error: { code } } });
  expect(await rowsOf(app, 'select from api_keys')).toEqual([]);
});

test('an assistant whose key is disabled while its message arrives writes nothing', async () => {
  await using app = await startApp();
  const token = await app.seed.key({ scopes: ['mcp:write'] });
  using sender = await begin(app, { ...tool, token });

  await rowsOf(app, 'update api_keys set active = false');
  app.clock.advance({ seconds: 2 });

  expect(JSON.stringify((await sender.finish())?.body)).toContain('API key is disabled');
  expect(await rowsOf(app, 'select from posts')).toEqual([]);
});

test('access is checked again when a slow body is complete, and a caller who still has it succeeds', async () => {
  await using app = await startApp();
  const token = await app.seed.key();
  using sender = await begin(app, { ...post, token });

  app.clock.advance({ seconds: 2 });

  expect(await sender.finish()).toMatchObject({ status: 201 });
  expect(await rowsOf(app, 'select title from posts')).toEqual([{ title: 'Late' }]);
});

test('a slow upload is stored, unless its key was disabled in the meantime', async () => {
  for (const change of ['select 1', 'update api_keys set active = false']) {
    await using app = await startApp();
    const token = await app.seed.key({ scopes: ['write:media'] });
    const { body, headers } = formOf(smallestImage);
    using connection = await openRaw(app.baseUrl);
    connection.send(
      `POST /api/v2/media HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: ${headers['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
    );
    connection.send(body.subarray(0, -1));
    await eventually(
      async () => (await rowsOf(app, 'select from api_keys where last_used_at is not null')).length === 1,
    );
    await rowsOf(app, change);
    app.clock.advance({ seconds: 2 });
    connection.send(body.subarray(-1));
    const isOn = change === 'select 1';
    expect(await connection.replies(1)).toMatchObject([{ status: isOn ? 201 : 403 }]);
    expect(await rowsOf(app, 'select from media')).toHaveLength(isOn ? 1 : 0);
  }
});

/**
 * Starts an app whose site has two owners. Every `looksMs` milliseconds it checks whether the sender of a transfer is still
 * an owner.
 */
async function startOwned(looksMs: number) {
  const stalledMs = 6 * looksMs;
  const transfer = { stalledMs, maxMs: 600_000, minBytesPerSecond: 1 };
  const app = await startApp({ timeouts: { transfer } });
  const [one, other] = [await app.seed.person('owner'), await app.seed.person('owner')];
  const studioOf = ({ token }: { token: string }) => ownerClient(app.baseUrl, token).studio;
  return Object.assign(app, {
    studio: studioOf(one),
    remove: () => rowsOf(app, `delete from site_people where person_id = '${one.id}'`),
    /** True if another owner may start a transfer of the site. */
    isFree: async () => {
      const { url } = await studioOf(other).transfers.check.mutate();
      return (await app.post(url, { body: '{}' })).status !== 409;
    },
  });
}

const ghost = JSON.stringify({
  db: [{ meta: {}, data: { posts: [{ id: '1', title: 'Late', status: 'published' }] } }],
});

async function beginImport(app: Awaited<ReturnType<typeof startOwned>>) {
  const { url } = await app.studio.transfers.import.mutate();
  const connection = await openRaw(app.baseUrl);
  connection.send(`POST ${url} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${ghost.length}\r\n\r\n`);
  connection.send(ghost.slice(0, -1));
  await eventually(async () => (await rowsOf(app, 'select from move_tickets')).length === 0);
  return connection;
}

const notOwned = { status: 404, body: { error: { code: 'not_found' } } };

test('a former owner imports nothing when the file is complete', async () => {
  await using app = await startOwned(100_000);
  using sender = await beginImport(app);
  await app.remove();
  sender.send(ghost.slice(-1));
  expect(await sender.replies(1)).toMatchObject([notOwned]);
  expect(await rowsOf(app, 'select from posts')).toEqual([]);
});

test('a file that never ends does not block transfers of the site after its sender lost ownership', async () => {
  await using app = await startOwned(2_000);
  using sender = await beginImport(app);
  expect(await app.isFree()).toBe(false);
  await app.remove();
  expect(await sender.replies(1)).toMatchObject([notOwned]);
  expect(await app.isFree()).toBe(true);
});

test('an export of subscribers is cut off when its owner is removed from the site', async () => {
  await using app = await startOwned(2_000);
  const many = 60_000;
  await runSlowStatement(
    app,
    `insert into subscribers (site_id, id, email, name, source, status, soft_bounces, created)
     select s.id, lpad(n::text, 15, '0'), n || '@example.com', repeat('n', 200), '', 'active', 0, now()
     from sites s, generate_series(1, ${many}) n`,
  );
  const { url } = await app.studio.subscribers.export.mutate();
  const { body } = await fetch(app.baseUrl + url);
  const reader = body?.getReader();
  await reader?.read();
  await app.remove();
  await eventually(app.isFree);
  let bytes = 0;
  const rest = (async () => {
    for (let part = await reader?.read(); part?.value; part = await reader?.read())
      bytes += part.value.length;
  })();
  await expect(rest).rejects.toThrow('terminated');
  expect(bytes).toBeLessThan(many * 200);
});
