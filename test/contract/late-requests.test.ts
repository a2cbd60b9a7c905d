import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { formOf, picture } from '../support/pictures.ts';
import { openRaw } from '../support/raw-http.ts';

// Senders that are slow, over real connections, and a server with little patience.

const long = 60_000;

/** The head of a POST whose body has so many bytes. */
const headOf = (path: string, key: string, length: number, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

/** Begins an upload of a picture, and gives what is left of its form in pieces, of which each takes its time. */
async function beginUpload(app: TestApp) {
  await app.seed.ownSite();
  const key = await app.seed.key({ scopes: ['write:media'] });
  const { body, headers } = formOf(await picture('png', { width: 400, height: 400 }));
  const connection = await openRaw(app.baseUrl);
  connection.send(headOf('/api/v2/media', key, body.length, headers['content-type']));
  const first = body.subarray(0, 300);
  connection.send(first);
  return { connection, rest: body.subarray(first.length) };
}

test('a request whose body does not come in time is answered 408', async () => {
  await using app = await startApp({ patience: { requestMs: 200 } });
  const key = await app.seed.key();
  using connection = await openRaw(app.baseUrl);
  connection.send(`${headOf('/api/v1/posts', key, 100)}{"title":`);
  const [reply] = await connection.replies(1);
  expect(reply).toMatchObject(failure(408, 'invalid_request'));
});

test('an upload may take longer than other requests, as long as more of it comes', async () => {
  const requestMs = 200;
  await using app = await startApp({
    patience: { requestMs, upload: { stalledMs: long, longestMs: long } },
  });
  const { connection, rest } = await beginUpload(app);
  using _ = connection;
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < 3 * requestMs) {
    connection.send(rest.subarray(sent, sent + 1));
    sent += 1;
    await delay(10);
  }
  connection.send(rest.subarray(sent));
  const [reply] = await connection.replies(1);
  expect(reply).toMatchObject({ status: 201, body: { type: 'image/png' } });
});

test.for([
  ['of which nothing comes any more', { stalledMs: 200, longestMs: long }],
  ['of which a little comes for ever', { stalledMs: long, longestMs: 300 }],
] as const)('an upload %s is ended', async ([, upload]) => {
  await using app = await startApp({ patience: { upload } });
  const { connection, rest } = await beginUpload(app);
  using _ = connection;
  let isAnswered = false;
  const answered = connection.replies(1).finally(() => {
    isAnswered = true;
  });
  for (let sent = 0; upload.stalledMs === long && !isAnswered && sent < rest.length; sent += 1) {
    connection.send(rest.subarray(sent, sent + 1));
    await delay(10);
  }
  expect(await answered).toMatchObject([
    failure(400, 'invalid_request', 'invalid request body: it did not come in time'),
  ]);
});
