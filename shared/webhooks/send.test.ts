import type { RequestListener } from 'node:http';
import { expect, test } from 'vitest';
import { startReceiver } from '../../test/support/tls-receiver.ts';
import { body, delivered, failed, outcomeOf, startSender } from '../../test/support/webhook-sender.ts';
import { deliveryHeaders } from './sign.ts';

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

test.for([200, 201, 202, 204, 206, 299])(
  'a response with status %i acknowledges the delivery',
  async (status) => {
    expect(await outcomeOf((_request, response) => response.writeHead(status).end())).toEqual(
      delivered(status),
    );
  },
);

test.for([300, 301, 302, 303, 304, 307, 308, 399])(
  'a response with status %i fails the delivery as a redirect, which is not followed',
  async (status) => {
    await using elsewhere = await startReceiver();
    const location = elsewhere.url;
    const result = await outcomeOf((_request, response) => response.writeHead(status, { location }).end());
    expect(result).toEqual(failed('redirect', status));
    expect(elsewhere.connections).toBe(0);
  },
);

test.for([400, 401, 404, 410, 429, 500, 503, 599, 999])(
  'a response with status %i fails the delivery with http_status',
  async (status) => {
    expect(await outcomeOf((_request, response) => response.writeHead(status).end())).toEqual(
      failed('http_status', status),
    );
  },
);

test('an interim response does not end a delivery', async () => {
  const result = await outcomeOf((_request, response) => {
    response.writeProcessing();
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(202).end();
  });
  expect(result).toEqual(delivered(202));
});

test('the encoding of a response is ignored', async () => {
  const headers = { 'content-encoding': 'gzip, br, zstd' };
  const result = await outcomeOf((_request, response) =>
    response.writeHead(200, headers).end('not compressed'),
  );
  expect(result).toEqual(delivered(200));
});

test('a connection that the receiver resets fails the delivery with connection_failed', async () => {
  const answer: RequestListener = ({ socket }) => socket.resetAndDestroy();
  await using receiver = await startReceiver({ certificate: null, answer });
  await using sender = startSender();
  expect(await sender.send({ url: receiver.url, headers: {}, body })).toEqual(failed('connection_failed'));
});

test('closing the sender rejects attempts in flight, which does not count as a failure of the receiver', async () => {
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

test('an invalid header rejects the sending, which does not count as a failure of the receiver', async () => {
  await using receiver = await startReceiver();
  await using sender = startSender({ ca: receiver.ca });
  await expect(sender.send({ url: receiver.url, headers: { 'x-event': 'a\r\nb: c' }, body })).rejects.toThrow(
    'invalid x-event header',
  );
  expect(receiver.connections).toBe(0);
});
