import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startApp, type TestApp } from '../support/app.ts';
import { failure } from '../support/http.ts';
import { formOf, pictureElement } from '../support/images.ts';
import { openRaw } from '../support/raw-http.ts';

// Clients that send slowly, over real connections, with short timeouts.

const long = 60_000;
const patient = { stalledMs: long, maxMs: long, minBytesPerSecond: 1 };

/** Headers of a POST whose body has `length` bytes. */
const headOf = (path: string, key: string, length: number, type = 'application/json') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\nContent-Length: ${length}\r\n\r\n`;

/** Begins an image upload. Returns the connection and the rest of the form. */
async function beginUpload(app: TestApp) {
  await app.seed.ownSite();
  const key = await app.seed.key({ scopes: ['write:media'] });
  const { body, headers } = formOf(await pictureElement('png', { width: 400, height: 400 }));
  const connection = await openRaw(app.baseUrl);
  connection.send(headOf('/api/v2/media', key, body.length, headers['content-type']));
  const first = body.subarray(0, 300);
  connection.send(first);
  return { connection, rest: body.subarray(first.length) };
}

test('a request whose body does not arrive in time gets 408', async () => {
  await using app = await startApp({ timeouts: { requestMs: 200 } });
  const key = await app.seed.key();
  using connection = await openRaw(app.baseUrl);
  connection.send(`${headOf('/api/v1/posts', key, 100)}{"title":`);
  const [reply] = await connection.replies(1);
  expect(reply).toMatchObject(failure(408, 'invalid_request'));
});

test('incomplete bodies take at most 32 MiB in total: beyond it, the oldest of the client with the most gets 408', async () => {
  await using app = await startApp();
  using connections = new DisposableStack();
  const half = Buffer.alloc(1024 * 1024, ' ');
  const begin = async (from: string) => {
    const connection = connections.use(await openRaw(app.baseUrl, from));
    connection.send(headOf('/trpc/studio.site.update', 'nobody', 2 * half.length));
    connection.send(half);
    return connection;
  };
  const another = await begin('127.0.0.2');
  const first = await begin('127.0.0.1');
  for (const _ of Array(38)) await begin('127.0.0.1');
  const last = await begin('127.0.0.1');
  expect(await first.replies(1)).toMatchObject([failure(408, 'invalid_request')]);
  for (const connection of [another, last]) {
    connection.send(half);
    const [reply] = await connection.replies(1);
    expect(reply).toMatchObject({ status: 401 });
  }
});

test('an upload may take longer than other requests while data keeps arriving', async () => {
  const requestMs = 1_500;
  await using app = await startApp({
    timeouts: { requestMs, upload: patient },
  });
  const { connection, rest } = await beginUpload(app);
  using _ = connection;
  const began = performance.now();
  let sent = 0;
  while (performance.now() - began < 1.5 * requestMs) {
    connection.send(rest.subarray(sent, sent + 1));
    sent += 1;
    await delay(10);
  }
  connection.send(rest.subarray(sent));
  const [reply] = await connection.replies(1);
  expect(reply).toMatchObject({ status: 201, body: { type: 'image/png' } });
});

test.for([
  ['that stops arriving', 0, { stalledMs: 200 }],
  ['that never ends', 1, { maxMs: 300 }],
  ['that arrives steadily but too slowly', 1, { stalledMs: 300, minBytesPerSecond: 10_000 }],
] as const)('an upload %s is ended', async ([, bytes, bounds]) => {
  await using app = await startApp({ timeouts: { upload: { ...patient, ...bounds } } });
  const { connection, rest } = await beginUpload(app);
  using _ = connection;
  expect(await answerWhile(connection, rest, bytes)).toMatchObject([tooLate]);
});

test('an upload whose form never ends is ended after its file arrived', async () => {
  await using app = await startApp({ timeouts: { upload: { ...patient, stalledMs: 300 } } });
  const { connection, rest } = await beginUpload(app);
  using _ = connection;
  connection.send(rest.subarray(0, -1));
  expect(await connection.replies(1)).toMatchObject([tooLate]);
});

test('uploads without a body do not delay other uploads, and are ended', async () => {
  await using app = await startApp({ timeouts: { upload: { ...patient, stalledMs: 15_000 } } });
  await app.seed.ownSite();
  const key = await app.seed.key({ scopes: ['write:media'] });
  const { body, headers } = formOf(await pictureElement('png', { width: 40, height: 40 }));
  const head = headOf('/api/v2/media', key, body.length, headers['content-type']);
  await using stack = new AsyncDisposableStack();
  const idle = await Promise.all(
    Array.from({ length: 12 }, async () => stack.use(await openRaw(app.baseUrl))),
  );
  for (const connection of idle) connection.send(`${head}--`);
  const answers = await Promise.all(
    [1, 2, 3, 4].map(() => app.post('/api/v2/media', { key, body, headers })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201]);
  expect(idle.every(({ socket }) => !socket.closed)).toBe(true);
  for (const connection of idle) expect(await connection.replies(1)).toMatchObject([tooLate]);
});

test('an upload that disconnects while it waits in the queue does not delay the others', async () => {
  await using app = await startApp({ timeouts: { upload: patient } });
  const first = await Promise.all([1, 2, 3].map(() => beginUpload(app)));
  const { connection } = await beginUpload(app);
  connection.socket.destroy();
  for (const { connection, rest } of first) connection.send(rest);
  for (const { connection } of first) {
    const [reply] = await connection.replies(1);
    expect([200, 201]).toContain(reply?.status);
    connection.socket.destroy();
  }
});

const tooLate = failure(400, 'invalid_request', 'invalid request body: not received in time');

/** The response, while a few more bytes are sent repeatedly. */
async function answerWhile(connection: Awaited<ReturnType<typeof openRaw>>, rest: Buffer, bytes: number) {
  let isAnswered = false;
  const answered = connection.replies(1).finally(() => {
    isAnswered = true;
  });
  for (let sent = 0; bytes > 0 && !isAnswered && sent < rest.length; sent += bytes) {
    connection.send(rest.subarray(sent, sent + bytes));
    await delay(10);
  }
  return await answered;
}
