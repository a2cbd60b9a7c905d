import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createS3Store } from '../../shared/media/s3-store.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

// A bucket that is slow, or says nothing at all.

const stalledMs = 300;
const parts = 8;
const trickle = (stream: { write(part: Buffer): unknown; end(): unknown }) => {
  let sent = 0;
  const timer = setInterval(() => {
    if (sent++ < parts) return stream.write(Buffer.alloc(10));
    clearInterval(timer);
    return stream.end();
  }, stalledMs / 4);
};

const answers: Record<string, (response: ServerResponse) => void> = {
  '/media/slow': trickle,
  '/media/silent': () => {},
  '/media/stuck': (response) => void response.write('begun'),
};
const service = createServer((request, response) => {
  request.resume().on('end', () => (answers[request.url ?? ''] ?? (() => response.end()))(response));
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

test('a file may take longer than the store may be silent, as long as it moves', async () => {
  expect(await read('slow')).toHaveLength(parts * 10);
});

test('so may one that is put there', async () => {
  const content = new Readable({ read() {} });
  trickle({ write: (part) => content.push(part), end: () => content.push(null) });
  await expect(storeOf().put('put', content, parts * 10)).resolves.toBeUndefined();
});

test('a reader may leave a file alone for as long as they like', async () => {
  const found = await storeOf().get('slow');
  // That takes longer than the store may be silent.
  await read('slow');
  expect(found && (await buffer(found))).toHaveLength(parts * 10);
});

/** Collects garbage all the time until `done`. */
async function whileCollecting(done: () => Promise<void>) {
  const collecting = setInterval(collectGarbage, stalledMs / 6);
  try {
    await done();
  } finally {
    clearInterval(collecting);
  }
}

test('a store that takes a file and says nothing is given up, though garbage is collected meanwhile', () =>
  whileCollecting(async () => {
    const content = Readable.from([Buffer.alloc(10)]);
    await expect(storeOf().put('silent', content, 10)).rejects.toThrow(`for ${stalledMs} ms`);
  }));

test.for(['silent', 'stuck'])(
  'a store that says nothing more is given up, though garbage is collected meanwhile: %s',
  (key) =>
    whileCollecting(() =>
      expect(read(key)).rejects.toThrow(
        `nothing came from the media store, or went there, for ${stalledMs} ms`,
      ),
    ),
);
