import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** What is read, and thrown away, of a body that came with a refused request. */
const mostMs = 1_000;
const mostBytes = 16 * 1024 * 1024;

/**
 * Keeps a connection that ends with its answer open until the body has come, within bounds: closed while bytes of the
 * client are unread, it would be reset, and the answer lost on its way.
 */
export function readRefusedBodies(app: FastifyInstance) {
  app.addHook('onSend', (request, reply, payload, done) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    if (!isText || !isBodyUnread(request) || !endsConnection(reply)) return done(null, payload);
    reply.header('Content-Length', Buffer.byteLength(payload));
    done(null, Readable.from(withRestOf(request.raw, payload), { objectMode: false }));
  });
}

/** Whether a body comes, or came, with a request. */
export const announcesBody = ({ headers }: FastifyRequest) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isBodyUnread = (request: FastifyRequest) => !request.raw.complete && announcesBody(request);

const endsConnection = (reply: FastifyReply) =>
  reply.getHeader('connection') === 'close' || !reply.raw.shouldKeepAlive;

/** The answer, which is whole for the client at once; its stream ends when the request's body has. */
async function* withRestOf(request: IncomingMessage, answer: string | Buffer) {
  yield answer;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    free(chunk);
    if (bytes > mostBytes) resolve();
  });
  for (const event of ['end', 'error', 'close']) request.once(event, resolve);
  const timer = setTimeout(resolve, mostMs);
  request.resume();
  await enough;
  clearTimeout(timer);
}

/** Gives the memory of a chunk back at once: what many senders still send would pile up until garbage is collected. */
function free({ buffer, byteLength }: Buffer) {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isOwn) buffer.transfer(0);
}
