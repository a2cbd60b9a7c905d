import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTick } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDeflate, createGzip } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { startReceiver } from '../../test/support/tls-receiver.ts';
import {
  body,
  delivered,
  failed,
  outcomeOf,
  startSender,
  writeForever,
} from '../../test/support/webhook-sender.ts';
import { watchAnswer } from './read-response.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const endlessAnswers: Record<string, RequestListener> = {
  'a body of 1 GiB': (request, response) => {
    response.writeHead(200, { 'content-length': 2 ** 30 }).flushHeaders();
    writeForever(request.socket, 'x');
  },
  'a chunked body without end': (request, response) => {
    response.writeHead(200).flushHeaders();
    writeForever(request.socket, '1\r\nx\r\n');
  },
  'a chunk extension without end': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
    writeForever(socket, 'x');
  },
  'trailers without end': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n');
    writeForever(socket, 'x: y\r\n');
  },
  'one byte a second': (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('x');
    const dribble = setInterval(() => response.write('x'), 1000);
    response.on('close', () => clearInterval(dribble));
  },
  'a body that never comes': (_request, response) =>
    response.writeHead(200, { 'content-length': 5 }).flushHeaders(),
  'a body cut off': (request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('x', () => request.socket.destroy());
  },
  'a broken chunk': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnot a length\r\n');
  },
  'a gzip bomb': (_request, response) => {
    const bomb = createGzip();
    bomb.pipe(response.writeHead(200, { 'content-encoding': 'gzip' }));
    inflate(bomb, response);
  },
  'a bomb of two encodings': (_request, response) => {
    const bomb = createDeflate();
    bomb.pipe(createGzip()).pipe(response.writeHead(200, { 'content-encoding': 'deflate, gzip' }));
    inflate(bomb, response);
  },
};

function inflate(bomb: NodeJS.WritableStream, until: NodeJS.EventEmitter & { destroyed: boolean }): void {
  const zeros = Buffer.alloc(2 ** 20);
  const more = () => {
    if (until.destroyed) return;
    bomb.write(zeros, () => setImmediate(more));
  };
  more();
}

test.for(Object.entries(endlessAnswers))(
  'a 2xx acknowledges whatever follows, and the connection is closed: %s',
  async ([, answer]) => {
    const cut = Promise.withResolvers<void>();
    await using receiver = await startReceiver({
      answer: (request, response) => {
        request.socket.once('close', cut.resolve);
        answer(request, response);
      },
    });
    await using sender = startSender({ ca: receiver.ca });
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
    await cut.promise;
  },
);

test('the connection of an endless response is closed after little of it was read', async () => {
  const sent = Promise.withResolvers<number>();
  await using receiver = await startReceiver({
    answer: ({ socket }, response) => {
      response.writeHead(500).flushHeaders();
      writeForever(socket, '1\r\nx\r\n');
      socket.once('close', () => sent.resolve(socket.bytesWritten));
    },
  });
  await using sender = startSender({ ca: receiver.ca });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('http_status', 500));
  // The receiver can fill the kernels' buffers; the rest of the data stays there.
  expect(await sent.promise).toBeLessThan(16 * 2 ** 20);
});

const brokenHeads: Record<string, [error: string, answer: (socket: IncomingMessage['socket']) => void]> = {
  'never answering': ['timeout', () => {}],
  'half a status line': ['timeout', (socket) => socket.write('HTTP/1.1 2')],
  'a status line that never ends': ['timeout', (socket) => socket.write('HTTP/1.1 200 OK\r')],
  'a head that comes one byte after another': [
    'timeout',
    (socket) => trickle(socket, 'HTTP/1.1 500 No\r\nx: '),
  ],
  'headers that never end': ['timeout', (socket) => socket.write('HTTP/1.1 500 No\r\nx: y\r\n')],
  'interim answers without end': [
    'response_too_large',
    (socket) => writeForever(socket, 'HTTP/1.1 103 Hints\r\n\r\n'),
  ],
  'one interim answer without end': [
    'response_too_large',
    (socket) => endless(socket, 'HTTP/1.1 103 Hints\r\n', 'x: y\r\n'),
  ],
  'nine interim answers before a 200': [
    'response_too_large',
    (socket) => socket.write(`${hints.repeat(9)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
  ],
  'interim answers of more than 16 KiB before a 200': [
    'response_too_large',
    (socket) => socket.write(`${largeHint}${largeHint}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
  ],
  'a status line without end': ['response_too_large', (socket) => endless(socket, 'HTTP/1.1 200 ', 'x')],
  'headers without end': [
    'response_too_large',
    (socket) => endless(socket, 'HTTP/1.1 500 No\r\n', 'x: y\r\n'),
  ],
  'one header without end': [
    'response_too_large',
    (socket) => endless(socket, 'HTTP/1.1 500 No\r\nx: ', 'y'),
  ],
  'a header name without end': [
    'response_too_large',
    (socket) => endless(socket, 'HTTP/1.1 500 No\r\n', 'x'),
  ],
  'closing at once': ['connection_failed', (socket) => socket.end()],
  'closing in the middle of the headers': [
    'connection_failed',
    (socket) => socket.end('HTTP/1.1 500 No\r\nx: '),
  ],
  'dropping the connection': ['connection_failed', (socket) => socket.destroy()],
  'another protocol': ['connection_failed', (socket) => socket.end('220 mail.example.com ESMTP\r\n')],
  'random bytes': [
    'connection_failed',
    (socket) => socket.end(Buffer.from(Array.from({ length: 256 }, (_, i) => i))),
  ],
  'status 000': [
    'connection_failed',
    (socket) => socket.end('HTTP/1.1 000 Zero\r\ncontent-length: 0\r\n\r\n'),
  ],
  'status 099': [
    'connection_failed',
    (socket) => socket.end('HTTP/1.1 099 Low\r\ncontent-length: 0\r\n\r\n'),
  ],
  'an unrequested upgrade': [
    'connection_failed',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ],
  'a 100 Continue, and then nothing': ['timeout', (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n')],
  'two lengths that disagree': [
    'connection_failed',
    (socket) => socket.end('HTTP/1.1 500 No\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
  ],
};

const hints = 'HTTP/1.1 103 Hints\r\nlink: </style.css>\r\n\r\n';
const largeHint = `HTTP/1.1 103 Hints\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`;

/** Sends a byte every few milliseconds until the connection closes. */
function trickle(socket: Socket, start: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(start[at++] ?? 'x'), 5);
  socket.once('close', () => clearInterval(timer));
}

test('a body that arrives byte by byte occupies its connection for at most a second', async () => {
  const closed = Promise.withResolvers<boolean>();
  await using receiver = await startReceiver({
    answer: ({ socket }) => {
      socket.once('close', () => closed.resolve(true));
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n');
      trickle(socket, '');
    },
  });
  await using sender = startSender({ ca: receiver.ca, timeoutMs: 60_000 });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  expect(await closed.promise).toBe(true);
});

test('a response occupies no more memory than its size, however small its chunks are', async () => {
  const pieces = 16_000;
  const { arrayBuffers, heapUsed } = await heldBy(() => {
    const answers = Array.from({ length: 20 }, () => {
      const answer = watchAnswer();
      const source = new Readable({ read() {} });
      // The sender reads from a connection in the same way.
      answer.bound(source as unknown as Socket);
      answer.begin();
      for (let at = 0; at < pieces; at++) {
        source.push(Buffer.alloc(1, 'x'));
        source.read();
      }
      return answer;
    });
    return answers;
  });
  expect((arrayBuffers + heapUsed) / 20).toBeLessThan(200_000);
});

/** Returns the memory that the result of `make` occupies. */
async function heldBy(make: () => unknown) {
  collectGarbage();
  const before = process.memoryUsage();
  const held = make();
  // Streams retain data whose processing they have postponed to the next tick.
  await nextTick();
  collectGarbage();
  const after = process.memoryUsage();
  expect(held).toBeDefined();
  return {
    arrayBuffers: after.arrayBuffers - before.arrayBuffers,
    heapUsed: after.heapUsed - before.heapUsed,
  };
}

function endless(socket: Socket, start: string, more: string): void {
  socket.write(start);
  writeForever(socket, more);
}

test.for(Object.entries(brokenHeads))(
  'a response without complete headers fails: %s',
  async ([, [error, answer]]) => {
    expect(await outcomeOf(({ socket }) => answer(socket), error === 'timeout' ? 300 : 60_000)).toEqual(
      failed(error),
    );
  },
);

const brokenAfter2xx: Record<string, (socket: Socket) => void> = {
  'headers that never end': (socket) => socket.write('HTTP/1.1 202 Fine\r\nx: y\r\n'),
  'headers without end': (socket) => endless(socket, 'HTTP/1.1 202 Fine\r\n', 'x: y\r\n'),
  'one header without end': (socket) => endless(socket, 'HTTP/1.1 202 Fine\r\nx: ', 'y'),
  'headers that break off': (socket) => socket.end('HTTP/1.1 202 Fine\r\nx: '),
  'two lengths that disagree': (socket) =>
    socket.end('HTTP/1.1 202 Fine\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
  'headers without end, after eight interim answers': (socket) =>
    endless(socket, `${hints.repeat(8)}HTTP/1.1 202 Fine\r\n`, 'x: y\r\n'),
};

afterEach(() => void vi.useRealTimers());

/** Returns the sender's next socket. */
const nextConnected = () =>
  new Promise<Socket>((resolve) => {
    const channel = 'undici:client:connected';
    const take = (message: unknown) => {
      unsubscribe(channel, take);
      resolve((message as { socket: Socket }).socket);
    };
    subscribe(channel, take);
  });

test.for(Object.entries(brokenAfter2xx))(
  'once a 2xx status line has arrived the delivery is acknowledged, whatever happens to the headers: %s',
  async ([, answer]) => {
    // Advance the time only after the status line was read, however long that takes.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const connected = nextConnected();
    const outcome = outcomeOf(({ socket }) => answer(socket), 300);
    const socket = await connected;
    await eventually(() => socket.bytesRead > 0);
    vi.advanceTimersByTime(300);
    expect(await outcome).toEqual(delivered(202));
  },
);

test('eight interim responses are accepted', async () => {
  const result = await outcomeOf(({ socket }) =>
    socket.end(`${hints.repeat(8)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
  );
  expect(result).toEqual(delivered(200));
});

test('a response of exactly 16 KiB is read to its end, and its connection is reused', async () => {
  await using receiver = await startReceiver({
    answer: ({ socket }) => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nx: \r\n\r\n';
      socket.write(head.replace('x: ', `x: ${'y'.repeat(16 * 1024 - head.length)}`));
    },
  });
  await using sender = startSender({ ca: receiver.ca });
  for (let sent = 0; sent < 3; sent++) {
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  }
  expect(receiver.connections).toBe(1);
});

test.for([
  ['interim answers', '', 'HTTP/1.1 103 Hints\r\n\r\n'],
  ['headers of an interim answer', 'HTTP/1.1 103 Hints\r\n', 'x: y\r\n'],
  ['headers', 'HTTP/1.1 500 No\r\n', 'x: y\r\n'],
  ['a chunk extension', 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n1;', 'x'],
  ['trailers', 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n0\r\n', 'x: y\r\n'],
] as const)(
  'a receiver that sends %s without end is disconnected after little of it was read',
  async ([, start, more]) => {
    const sent = Promise.withResolvers<number>();
    await using receiver = await startReceiver({
      answer: ({ socket }) => {
        socket.once('close', () => sent.resolve(socket.bytesWritten));
        endless(socket, start, more);
      },
    });
    await using sender = startSender({ ca: receiver.ca, timeoutMs: 60_000 });
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toMatchObject({ ok: false });
    // The receiver can fill the kernels' buffers; the rest of the data stays there.
    expect(await sent.promise).toBeLessThan(16 * 2 ** 20);
  },
);
