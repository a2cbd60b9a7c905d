import { createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createCertificate, listen, startReceiver } from '../../test/support/tls-receiver.ts';
import { body, delivered, failed, startSender } from '../../test/support/webhook-sender.ts';
import { parseCidr } from './addresses.ts';
import { createWebhookSender } from './send.ts';

afterEach(() => void vi.useRealTimers());

test('deliveries to one receiver reuse connections', async () => {
  await using receiver = await startReceiver();
  await using sender = startSender({ ca: receiver.ca });
  for (let sent = 0; sent < 50; sent++) {
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  }
  // The outcome is known before the connection is idle again, so a second one may open.
  expect(receiver.connections).toBeLessThanOrEqual(2);
});

test('many concurrent attempts all end, each with its own outcome', async () => {
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

test('an attempt after one that timed out is not affected by it', async () => {
  // The first attempt times out once its request has arrived; the second attempt's timer does not fire.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const silent = Promise.withResolvers<void>();
  let requests = 0;
  await using receiver = await startReceiver({
    answer: (_request, response) => {
      requests += 1;
      if (requests === 1) silent.resolve();
      else response.end();
    },
  });
  await using sender = startSender({ ca: receiver.ca, timeoutMs: 1000 });
  const first = sender.send({ url: receiver.url, headers: {}, body });
  await silent.promise;
  vi.advanceTimersByTime(1000);
  expect(await first).toEqual(failed('timeout'));
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
});

test('a delivery to a receiver with an untrusted certificate fails with tls_error, and nothing of the request is sent', async () => {
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
] as const)(
  'a delivery to a receiver with a certificate %s fails with tls_error, although its issuer is trusted',
  async ([, names]) => {
    const certificate = await createCertificate(names);
    await using receiver = await startReceiver({ certificate });
    await using sender = startSender({ ca: receiver.ca });
    expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('tls_error'));
    expect(receiver.requests).toEqual([]);
  },
);

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

test('a delivery to a receiver that speaks plain HTTP on an https URL fails with tls_error', async () => {
  await using receiver = await startReceiver({ certificate: null });
  await using sender = startSender();
  const url = receiver.url.replace('http:', 'https:');
  expect(await sender.send({ url, headers: {}, body })).toEqual(failed('tls_error'));
});

test('a delivery to a receiver that accepts the connection and never speaks TLS fails with timeout', async () => {
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

test('a peer at another address than the checked one is disconnected before a byte is sent', async () => {
  const received = Promise.withResolvers<number>();
  const server = createServer((socket) => {
    socket.resume().once('close', () => received.resolve(socket.bytesRead));
  });
  const port = await listen(server, '127.0.0.1');
  // The system maps 0.0.0.0 to 127.0.0.1, which is not in the allowed network.
  const rule = { lookup: async () => [], allowCidrs: [parseCidr('0.0.0.0/32')] };
  const sender = createWebhookSender({ ...rule, timeoutMs: 60_000 });
  const result = await sender.send({ url: `https://0.0.0.0:${port}/`, headers: {}, body });
  expect(result).toEqual(failed('forbidden_address'));
  expect(await received.promise).toBe(0);
  await sender.close();
  server.close();
});

test('a delivery to a port without a listener fails with connection_failed', async () => {
  const receiver = await startReceiver();
  await receiver[Symbol.asyncDispose]();
  await using sender = startSender({ ca: receiver.ca });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('connection_failed'));
});

test('a delivery tries another address of the host name if one does not answer', async () => {
  await using receiver = await startReceiver({ certificate: await createCertificate({ dns: ['two.test'] }) });
  await using sender = startSender({ ca: receiver.ca, lookup: async () => ['::1', '127.0.0.1'] });
  const url = `https://two.test:${receiver.port}/`;
  expect(await sender.send({ url, headers: {}, body })).toEqual(delivered(200));
});

test('a delivery to a host name that does not resolve fails with dns_failure', async () => {
  await using sender = startSender({ lookup: async () => [] });
  expect(await sender.send({ url: 'https://gone.test/', headers: {}, body })).toEqual(failed('dns_failure'));
});

test('a delivery whose DNS server never answers fails with timeout', async () => {
  await using sender = startSender({ timeoutMs: 300, lookup: () => new Promise(() => {}) });
  expect(await sender.send({ url: 'https://slow.test/', headers: {}, body })).toEqual(failed('timeout'));
});

test('a delivery over plain HTTP reaches an allowed network, and no other address', async () => {
  await using receiver = await startReceiver({ certificate: null });
  await using sender = startSender({ lookup: async () => ['93.184.215.14'] });
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(delivered(200));
  expect(await sender.send({ url: 'http://public.test/', headers: {}, body })).toEqual(
    failed('forbidden_address'),
  );
});

test('deliveries ignore proxy settings of the environment', async ({ onTestFinished }) => {
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
