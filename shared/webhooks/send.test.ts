import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { createDeflate, createGzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { createCertificate, listen, startReceiver } from '../../test/support/tls-receiver.ts';
import { parseCidr } from './addresses.ts';
import { createWebhookSender } from './send.ts';
import { deliveryHeaders } from './sign.ts';

const allowCidrs = [parseCidr('127.0.0.0/8'), parseCidr('::1/128')];
const body = Buffer.from('{"event":"test","timestamp":"2026-01-31T09:05:00.123Z","data":{}}');

/** A sender that reaches loopback; names resolve to it too. */
function startSender(options: { ca?: string; timeoutMs?: number; lookup?: () => Promise<string[]> } = {}) {
  const { lookup = async () => ['127.0.0.1'], timeoutMs = 5000, ...rest } = options;
  const sender = createWebhookSender({ lookup, allowCidrs, timeoutMs, ...rest });
  return { ...sender, [Symbol.asyncDispose]: () => sender.close() };
}

/** What a sender makes of an answer. */
async function outcomeOf(answer: RequestListener, timeoutMs = 5000) {
  await using receiver = await startReceiver({ answer });
  await using sender = startSender({ ca: receiver.ca, timeoutMs });
  return await sender.send({ url: receiver.url, headers: {}, body });
}

function delivered(statusCode: number) {
  return { ok: true, statusCode, durationMs: expect.any(Number) };
}

function failed(error: string, statusCode: number | null = null) {
  return { ok: false, statusCode, error, durationMs: expect.any(Number) };
}

/** Writes text again and again for as long as the sender reads. */
function writeForever(socket: Socket, text: string): void {
  if (socket.destroyed) return;
  if (socket.write(text.repeat(1000))) setImmediate(writeForever, socket, text);
  else socket.once('drain', () => writeForever(socket, text));
}

test('the receiver gets a POST with the exact bytes and headers that were signed', async () => {
  await using receiver = await startReceiver();
  await using sender = startSender({ ca: receiver.ca });
  const headers = deliveryHeaders({ event: 'test', deliveryId: 'd1', secret: 's', body, sentAt: new Date() });

  expect(await sender.send({ url: `${receiver.url}?a=%20b#c`, headers, body })).toEqual(delivered(200));

  const lowerCase = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  expect(receiver.requests).toEqual([
    {
      method: 'POST',
      path: '/hook?a=%20b',
      headers: {
        ...Object.fromEntries(lowerCase),
        host: `127.0.0.1:${receiver.port}`,
        connection: 'keep-alive',
        'content-length': String(body.length),
      },
      body,
    },
  ]);
});

test.for([200, 201, 202, 204, 206, 299])('status %i acknowledges', async (status) => {
  expect(await outcomeOf((_request, response) => response.writeHead(status).end())).toEqual(
    delivered(status),
  );
});

test.for([300, 301, 302, 303, 304, 307, 308, 399])(
  'status %i is a redirect and is not followed',
  async (status) => {
    await using elsewhere = await startReceiver();
    const location = elsewhere.url;
    const result = await outcomeOf((_request, response) => response.writeHead(status, { location }).end());
    expect(result).toEqual(failed('redirect', status));
    expect(elsewhere.connections).toBe(0);
  },
);

test.for([400, 401, 404, 410, 429, 500, 503, 599, 999])('status %i is http_status', async (status) => {
  expect(await outcomeOf((_request, response) => response.writeHead(status).end())).toEqual(
    failed('http_status', status),
  );
});

test('an informational answer is not the answer', async () => {
  const result = await outcomeOf((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(202).end();
  });
  expect(result).toEqual(delivered(202));
});

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
  'a 2xx acknowledges whatever follows, and the connection is cut: %s',
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

test('the encoding of an answer is not looked at', async () => {
  const headers = { 'content-encoding': 'gzip, br, zstd' };
  const result = await outcomeOf((_request, response) =>
    response.writeHead(200, headers).end('not compressed'),
  );
  expect(result).toEqual(delivered(200));
});

test('a reset is connection_failed', async () => {
  const answer: RequestListener = ({ socket }) => socket.resetAndDestroy();
  await using receiver = await startReceiver({ certificate: null, answer });
  await using sender = startSender();
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('connection_failed'));
});

test('an answer without end has its connection cut, after little of it was read', async () => {
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
  // What the kernels' buffers take on the way is the receiver's to fill; the rest of the flood stays with it.
  expect(await sent.promise).toBeLessThan(16 * 2 ** 20);
});

const brokenHeads: Record<string, [error: string, answer: (socket: IncomingMessage['socket']) => void]> = {
  'never answering': ['timeout', () => {}],
  'half a status line': ['timeout', (socket) => socket.write('HTTP/1.1 2')],
  'a status line that never ends': ['timeout', (socket) => socket.write('HTTP/1.1 200 OK\r')],
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
  'an upgrade nobody asked for': [
    'connection_failed',
    (socket) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
  ],
  'a 100 Continue nobody asked for': [
    'connection_failed',
    (socket) => socket.write('HTTP/1.1 100 Continue\r\n\r\n'),
  ],
  'two lengths that disagree': [
    'connection_failed',
    (socket) => socket.end('HTTP/1.1 500 No\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx'),
  ],
};

const hints = 'HTTP/1.1 103 Hints\r\nlink: </style.css>\r\n\r\n';
const largeHint = `HTTP/1.1 103 Hints\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`;

function endless(socket: Socket, start: string, more: string): void {
  socket.write(start);
  writeForever(socket, more);
}

test.for(Object.entries(brokenHeads))(
  'an answer without a complete head fails: %s',
  async ([, [error, answer]]) => {
    expect(await outcomeOf(({ socket }) => answer(socket), error === 'timeout' ? 300 : 5000)).toEqual(
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

test.for(Object.entries(brokenAfter2xx))(
  'once a 2xx status line has come the delivery is acknowledged, whatever becomes of the head: %s',
  async ([, answer]) => {
    expect(await outcomeOf(({ socket }) => answer(socket), 300)).toEqual(delivered(202));
  },
);

test('eight interim answers are no fault', async () => {
  const result = await outcomeOf(({ socket }) =>
    socket.end(`${hints.repeat(8)}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`),
  );
  expect(result).toEqual(delivered(200));
});

test('an answer of exactly 16 KiB is read to its end, and its connection used again', async () => {
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
  'a receiver that sends %s without end is cut off after little of it was read',
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
    // What the kernels' buffers take on the way is the receiver's to fill; the rest of the flood stays with it.
    expect(await sent.promise).toBeLessThan(16 * 2 ** 20);
  },
);

test('connections are kept and used again', async () => {
  await using receiver = await startReceiver();
  await using sender = startSender({ ca: receiver.ca });
  for (let sent = 0; sent < 50; sent++) {
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  }
  // The outcome is known before the connection is free again, so a second one may open.
  expect(receiver.connections).toBeLessThanOrEqual(2);
});

test('many attempts at once all end, each with its own outcome', async () => {
  await using receiver = await startReceiver({
    answer: (request, response) => response.writeHead(Number(request.url?.slice(1))).end(),
  });
  await using sender = startSender({ ca: receiver.ca });
  const statuses = Array.from({ length: 50 }, (_, index) => 200 + index * 7);
  const origin = `https://127.0.0.1:${receiver.port}`;
  const results = await Promise.all(
    statuses.map((status) => sender.send({ url: `${origin}/${status}`, headers: {}, body })),
  );
  expect(results.map((result) => result.statusCode)).toEqual(statuses);
});

test('an attempt after one that timed out is not disturbed by it', async () => {
  let silent = true;
  await using receiver = await startReceiver({
    answer: (_request, response) => {
      if (!silent) response.end();
      silent = false;
    },
  });
  await using sender = startSender({ ca: receiver.ca, timeoutMs: 1000 });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('timeout'));
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
});

test('a certificate that nobody vouches for is tls_error, and nothing of the request is sent', async () => {
  await using receiver = await startReceiver();
  await using sender = startSender();
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('tls_error'));
  expect(receiver.requests).toEqual([]);
});

test.for([
  ['for another name', { dns: ['other.test'], ip: [] }],
  ['for another address', { dns: [], ip: ['127.0.0.2'] }],
  ['that has expired', { notAfter: new Date(Date.now() - 60_000) }],
  ['that is not valid yet', { notAfter: new Date(Date.now() + 30 * 86_400_000) }],
] as const)('a certificate %s is tls_error, although its issuer is trusted', async ([, names]) => {
  const certificate = await createCertificate(names);
  await using receiver = await startReceiver({ certificate });
  await using sender = startSender({ ca: receiver.ca });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('tls_error'));
  expect(receiver.requests).toEqual([]);
});

test.for(['hooks.test', 'hooks.test.', 'HOOKS.test'])(
  'the certificate is verified for the name in the URL, not for the address: %s',
  async (name) => {
    const certificate = await createCertificate({ dns: ['hooks.test'], ip: [] });
    await using receiver = await startReceiver({ certificate });
    await using sender = startSender({ ca: receiver.ca });
    const url = `https://${name}:${receiver.port}/`;
    expect(await sender.send({ url, headers: {}, body })).toEqual(delivered(200));
  },
);

test('a receiver that speaks plain http on an https URL is tls_error', async () => {
  await using receiver = await startReceiver({ certificate: null });
  await using sender = startSender();
  const url = receiver.url.replace('http:', 'https:');
  expect(await sender.send({ url, headers: {}, body })).toEqual(failed('tls_error'));
});

test('a receiver that accepts and never speaks TLS is timeout', async () => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  const port = await listen(server, '127.0.0.1');
  await using sender = startSender({ timeoutMs: 300 });
  expect(await sender.send({ url: `https://127.0.0.1:${port}/`, headers: {}, body })).toEqual(
    failed('timeout'),
  );
  for (const socket of sockets) socket.destroy();
  server.close();
});

test('a peer at another address than the one checked is dropped before a byte is sent', async () => {
  const received = Promise.withResolvers<number>();
  const server = createServer((socket) => {
    socket.resume().once('close', () => received.resolve(socket.bytesRead));
  });
  const port = await listen(server, '127.0.0.1');
  // The system connects 0.0.0.0 to 127.0.0.1, which is not in the allowed network.
  const rule = { lookup: async () => [], allowCidrs: [parseCidr('0.0.0.0/32')] };
  const sender = createWebhookSender({ ...rule, timeoutMs: 5000 });
  const result = await sender.send({ url: `https://0.0.0.0:${port}/`, headers: {}, body });
  expect(result).toEqual(failed('forbidden_address'));
  expect(await received.promise).toBe(0);
  await sender.close();
  server.close();
});

test('a port where nobody listens is connection_failed', async () => {
  const receiver = await startReceiver();
  await receiver[Symbol.asyncDispose]();
  await using sender = startSender({ ca: receiver.ca });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('connection_failed'));
});

test('another address of the name is tried when one does not answer', async () => {
  await using receiver = await startReceiver({ certificate: await createCertificate({ dns: ['two.test'] }) });
  await using sender = startSender({ ca: receiver.ca, lookup: async () => ['::1', '127.0.0.1'] });
  const url = `https://two.test:${receiver.port}/`;
  expect(await sender.send({ url, headers: {}, body })).toEqual(delivered(200));
});

test('a name that does not resolve is dns_failure', async () => {
  await using sender = startSender({ lookup: async () => [] });
  expect(await sender.send({ url: 'https://gone.test/', headers: {}, body })).toEqual(failed('dns_failure'));
});

test('a name server that never answers is timeout', async () => {
  await using sender = startSender({ timeoutMs: 300, lookup: () => new Promise(() => {}) });
  expect(await sender.send({ url: 'https://slow.test/', headers: {}, body })).toEqual(failed('timeout'));
});

test('plain http reaches an allowed network, and no other address', async () => {
  await using receiver = await startReceiver({ certificate: null });
  await using sender = startSender({ lookup: async () => ['93.184.215.14'] });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  expect(await sender.send({ url: 'http://public.test/', headers: {}, body })).toEqual(
    failed('forbidden_address'),
  );
});

test('proxy settings of the environment are not followed', async ({ onTestFinished }) => {
  await using proxy = await startReceiver({ certificate: null });
  const before = { ...process.env };
  onTestFinished(() => {
    process.env = before;
  });
  const address = `http://127.0.0.1:${proxy.port}`;
  process.env = {
    ...before,
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: address,
    https_proxy: address,
    ALL_PROXY: address,
  };
  await using receiver = await startReceiver();
  await using sender = startSender({ ca: receiver.ca });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  expect(proxy.connections).toBe(0);
});

test('closing the sender rejects what is in flight: that is no failure of the receiver', async () => {
  const arrived = Promise.withResolvers<void>();
  await using receiver = await startReceiver({ answer: () => arrived.resolve() });
  const sender = startSender({ ca: receiver.ca });
  const attempt = sender.send({ url: receiver.url, headers: {}, body });
  await arrived.promise;
  const rejected = expect(attempt).rejects.toThrow('destroyed');
  await sender.close();
  await rejected;
  await expect(sender.send({ url: receiver.url, headers: {}, body })).rejects.toThrow('destroyed');
});

test('a header that cannot be sent rejects and is not blamed on the receiver', async () => {
  await using receiver = await startReceiver();
  await using sender = startSender({ ca: receiver.ca });
  await expect(sender.send({ url: receiver.url, headers: { 'x-event': 'a\r\nb: c' }, body })).rejects.toThrow(
    'invalid x-event header',
  );
  expect(receiver.connections).toBe(0);
});
