import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createS3Store } from '../../shared/media/s3-store.ts';
import { eventually } from '../support/eventually.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

// A bucket that responds slowly, or not at all.

const stalledMs = 300;
const parts = 8;

let onSlow: (response: ServerResponse) => void = () => {};
/** Resolves with the response to the next read of the slow file, before anything was sent. */
const slowAnswer = () =>
  new Promise<ServerResponse>((resolve) => {
    onSlow = resolve;
  });

let received = 0;

const answers: Record<string, (response: ServerResponse) => void> = {
  '/media/slow': (response) => {
    response.flushHeaders();
    onSlow(response);
  },
  '/media/silent': () => {},
  '/media/stuck': (response) => void response.write('begun'),
};
const service = createServer((request, response) => {
  request.on('data', (part: Buffer) => {
    received += part.length;
  });
  request.on('end', () => (answers[request.url ?? ''] ?? (() => response.end()))(response));
});
const storeOf = () => {
  const { port } = service.address() as AddressInfo;
  return createS3Store(`http://key:secret@127.0.0.1:${port}/media`, { stalledMs });
};
beforeAll(async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
});

const read = async (key: string) => {
  const found = await storeOf().get(key);
  return found && buffer(found);
};

afterEach(() => void vi.useRealTimers());

/** Freezes timeouts, so that a slow machine cannot end the test early. The test advances them. */
const holdTime = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

/** Sends parts one by one. Waits until each has arrived, and advances the time to just before the timeout. */
async function trickle(send: (part: Buffer) => void, arrived: () => number) {
  for (let part = 1; part <= parts; part++) {
    send(Buffer.alloc(10));
    await eventually(() => arrived() === part * 10);
    vi.advanceTimersByTime(stalledMs - 1);
  }
}

test('reading a file may take longer than the timeout as long as bytes arrive', async () => {
  holdTime();
  const answered = slowAnswer();
  const found = await storeOf().get('slow');
  const read: Buffer[] = [];
  found?.on('data', (part) => void read.push(part));
  const ended = found && once(found, 'end');
  const answer = await answered;
  await trickle(
    (part) => answer.write(part),
    () => Buffer.concat(read).length,
  );
  answer.end();
  await ended;
  expect(Buffer.concat(read)).toHaveLength(parts * 10);
});

test('writing a file may take longer than the timeout as long as bytes are sent', async () => {
  holdTime();
  received = 0;
  const content = new Readable({ read() {} });
  const put = storeOf().put('put', content, parts * 10);
  await trickle(
    (part) => content.push(part),
    () => received,
  );
  content.push(null);
  await expect(put).resolves.toBeUndefined();
});

test('a reader may pause for any time', async () => {
  holdTime();
  const answered = slowAnswer();
  const found = await storeOf().get('slow');
  (await answered).end(Buffer.alloc(10));
  vi.advanceTimersByTime(10 * stalledMs);
  expect(found && (await buffer(found))).toHaveLength(10);
});

/** Collects garbage repeatedly until `done` ends. */
async function whileCollecting(done: () => Promise<void>) {
  const collecting = setInterval(collectGarbage, stalledMs / 6);
  try {
    await done();
  } finally {
    clearInterval(collecting);
  }
}

test('a store that accepts a file but never responds times out, even during garbage collection', () =>
  whileCollecting(async () => {
    const content = Readable.from([Buffer.alloc(10)]);
    await expect(storeOf().put('silent', content, 10)).rejects.toThrow(`for ${stalledMs} ms`);
  }));

test.for(['silent', 'stuck'])(
  'a store that stops responding times out, even during garbage collection: %s',
  (key) =>
    whileCollecting(() =>
      expect(read(key)).rejects.toThrow(`timed out: no data to or from the media store for ${stalledMs} ms`),
    ),
);
