import { once } from 'node:events';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import Fastify, { type FastifyInstance } from 'fastify';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { endConnectionsWhenEnding } from './graceful-shutdown.ts';
import { trackLatestAnswers } from './malformed-requests.ts';

/** Starts a server that ends its connections gracefully, and opens a connection to it. */
async function serveTo(app: FastifyInstance) {
  endConnectionsWhenEnding(app, trackLatestAnswers(app));
  const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  const taken = once(app.server, 'connection');
  const socket = connect(port, '127.0.0.1');
  const [served] = await taken;
  return { port, socket, served };
}

test('a connection whose answer began before the server stopped is closed after the answer', async () => {
  const app = Fastify({ keepAliveTimeout: 0 });
  const body = new PassThrough();
  app.get('/', (_request, reply) => reply.send(body));
  const { socket } = await serveTo(app);
  body.write('first');
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await once(socket, 'data');

  const closed = app.close();
  await eventually(() => !app.server.listening);
  body.end();

  await closed;
});

test('when the server stops, a slow client gets the rest of its answers, and idle connections are closed', async () => {
  const app = Fastify({ keepAliveTimeout: 0 });
  const text = 'x'.repeat(1_000_000);
  app.get('/', async () => text);
  const { port, socket, served } = await serveTo(app);
  const idle = connect(port, '127.0.0.1');
  await once(idle, 'connect');
  socket.pause().write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
  await eventually(() => served.writableLength > 0);

  const closed = app.close();
  await once(idle.resume(), 'close');
  const chunks = await socket.toArray();

  expect(Buffer.concat(chunks).toString().split(text)).toHaveLength(21);
  await closed;
});
