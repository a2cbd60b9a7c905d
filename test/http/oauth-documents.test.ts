import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { parseCidr } from '../../shared/webhooks/index.ts';
import { callback, startSignIn, Tokens } from '../support/sign-in.ts';
import { createCertificate } from '../support/tls-receiver.ts';

// docs/reference/assistant-sign-in.md: clients that are identified by a metadata document.

const { cert, private: key } = await createCertificate();
const here = { ca: cert, allowCidrs: [parseCidr('127.0.0.0/8')] };
const app = await startSignIn({ webhooks: here });
afterAll(() => app[Symbol.asyncDispose]());
const owner = await app.person();

type Reply = (response: ServerResponse, id: string) => void;

/** Starts a server for a client's metadata document, which `reply` sends. */
async function startDocument(reply: Reply) {
  let requested = 0;
  let give = reply;
  const server = createServer({ cert, key }, (request, response) => {
    requested += 1;
    give(response, `https://127.0.0.1:${port()}${request.url}`);
  });
  const port = () => (server.address() as AddressInfo).port;
  // Documents are cached by URL, and a port may be used again by another test.
  const path = `/${randomUUID()}/client.json`;
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    id: `https://127.0.0.1:${port()}${path}`,
    host: `127.0.0.1:${port()}`,
    asked: () => requested,
    change(next: Reply) {
      give = next;
    },
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const told = (id: string, more: object = {}) =>
  JSON.stringify({ client_id: id, client_name: 'Claude', redirect_uris: [callback], ...more });

/** Status of `authorize`: 303 for a known client. */
const statusOf = async (client_id: string, redirect_uri = callback, by = app) =>
  (await by.authorize(by.asking(client_id, { redirect_uri }).query)).status;

test('a client ID document identifies an OAuth client, and its host verifies the name', async () => {
  using document = await startDocument((response, id) => response.end(told(id, { logo_uri: 'http://x/' })));
  const form = await app.codeFor(owner, ['mcp:read'], { client_id: document.id });
  expect((await owner.list.query()).data.find(({ id }) => id === form.id)).toMatchObject({
    client: { name: 'Claude', host: document.host, verified: true },
  });
  const { body } = await app.token(form);
  expect(Tokens.parse(body).scope).toBe('mcp:read');
  expect(document.asked()).toBe(1);
});

test('an invalid client ID document is refused after one request, without following redirects', async () => {
  const large = ' '.repeat(64 * 1024);
  const replies: Record<string, Reply> = {
    'that redirects': (response) => response.writeHead(302, { location: '/other.json' }).end(),
    'that is too large': (response, id) => response.end(told(id) + large),
    'of another client': (response) => response.end(told('http://127.0.0.1/other.json')),
    'that is not JSON': (response) => response.end('<html>'),
    'that is not UTF-8': (response, id) =>
      response.end(Buffer.from(told(id, { client_name: 'é' }), 'latin1')),
    'without an allowed redirect address': (response, id) =>
      response.end(told(id, { redirect_uris: ['http://a.example/'] })),
    'that is missing': (response, id) => response.writeHead(404).end(told(id)),
  };
  for (const [kind, reply] of Object.entries(replies)) {
    using document = await startDocument(reply);
    expect([kind, await statusOf(document.id), document.asked()]).toEqual([kind, 400, 1]);
  }
});

test('a client ID document that does not arrive in time is refused', async () => {
  await using impatient = await startSignIn({ webhooks: here, timeouts: { documentMs: 3_000 } });
  for (const reply of [(response) => response.write('{'), () => {}] satisfies Reply[]) {
    using document = await startDocument(reply);
    expect([await statusOf(document.id, callback, impatient), document.asked()]).toEqual([400, 1]);
  }
});

test('a client ID document of up to 64 KiB is accepted', async () => {
  using document = await startDocument((response, id) => response.end(told(id).padEnd(64 * 1024)));
  expect(await statusOf(document.id)).toBe(303);
});

test('a failed fetch of a client ID document is cached for a minute', async () => {
  using document = await startDocument((response) => response.writeHead(500).end());
  expect(await statusOf(document.id)).toBe(400);
  document.change((response, id) => response.end(told(id)));
  app.clock.advance({ seconds: 60, ms: -1 });
  expect(await statusOf(document.id)).toBe(400);
  app.clock.advance({ ms: 1 });
  expect(await statusOf(document.id)).toBe(303);
});

test.for([
  { header: undefined, seconds: 300 },
  { header: 'no-store', seconds: 300 },
  { header: 'max-age=1', seconds: 300 },
  { header: 'public, max-age=3600', seconds: 3_600 },
  { header: 'max-age=999999999', seconds: 86_400 },
])(
  'a client ID document with Cache-Control: $header is kept for $seconds seconds',
  async ({ header, seconds }) => {
    const headers = header === undefined ? {} : { 'cache-control': header };
    using document = await startDocument((response, id) => response.writeHead(200, headers).end(told(id)));
    expect(await statusOf(document.id)).toBe(303);
    const moved = 'https://assistant.example/moved';
    document.change((response, id) =>
      response.writeHead(200, headers).end(told(id, { redirect_uris: [moved] })),
    );
    app.clock.advance({ seconds, ms: -1 });
    expect([await statusOf(document.id), await statusOf(document.id, moved)]).toEqual([303, 400]);
    app.clock.advance({ ms: 1 });
    expect([await statusOf(document.id), await statusOf(document.id, moved)]).toEqual([400, 303]);
  },
);

test('a client ID document is not fetched from addresses that webhooks may not reach', async () => {
  using document = await startDocument((response, id) => response.end(told(id)));
  await using strict = await startSignIn({ webhooks: { lookup: async () => ['127.0.0.1'] } });
  const { port } = new URL(document.id);
  for (const client_id of [
    document.id,
    `https://127.0.0.1:${port}/client.json`,
    `https://localhost:${port}/client.json`,
    `https://inside.example:${port}/client.json`,
    'https://[::1]/client.json',
    'https://169.254.169.254/client.json',
  ])
    expect([client_id, (await strict.authorize(strict.asking(client_id).query)).status]).toEqual([
      client_id,
      400,
    ]);
  expect(document.asked()).toBe(0);
});

test('an ambiguous URL is not an OAuth client ID', async () => {
  using document = await startDocument((response, id) => response.end(told(id)));
  const { origin, host } = new URL(document.id);
  for (const id of [
    `${origin}/`,
    origin,
    `${origin}/client.json#part`,
    `https://user@${host}/client.json`,
    // Without TLS no host is verified, even in networks that webhooks may reach.
    `http://${host}/client.json`,
    `${origin}/a/../client.json`,
    `${origin}/%2e%2e/client.json`,
    `${origin}\\client.json`,
  ])
    expect([id, await statusOf(id)]).toEqual([id, 400]);
  expect(document.asked()).toBe(0);
});
