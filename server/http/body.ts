import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTooIntricate } from '../../shared/runtime/parse-json.ts';
import { ApiError } from '../api/api-error.ts';

const jsonType = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i;

/** Reads a body that must be one JSON object in UTF-8 of at most `limitBytes`; `note` is given its bytes. Throws `invalid_request` or `payload_too_large`. */
export async function readJsonObject(
  request: IncomingMessage,
  limitBytes: number,
  note: (bytes: Buffer) => void = () => {},
): Promise<object> {
  refuseOtherTypes(request);
  const bytes = await readBytes(request, limitBytes);
  note(bytes);
  const value = parsedBody(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('invalid_request', 'invalid request body: expected a JSON object');
  }
  return value;
}

function refuseOtherTypes({ headers }: IncomingMessage) {
  const type = headers['content-type'] ?? '';
  if (!jsonType.test(type) || otherCharset.test(type)) {
    throw new ApiError(
      'invalid_request',
      'invalid request body: send JSON with Content-Type: application/json',
    );
  }
  const codings = [headers['content-encoding'] ?? 'identity', headers['transfer-encoding'] ?? 'chunked'];
  if (codings.join().toLowerCase() !== 'identity,chunked') {
    throw new ApiError(
      'invalid_request',
      'invalid request body: compression is not supported; send it uncompressed',
    );
  }
}

async function readBytes(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const tooLarge = () => new ApiError('payload_too_large', `request body is larger than ${limitBytes} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Left at the limit, it must not be destroyed: that would close the connection before the answer.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > limitBytes) break;
    }
  } catch (cause) {
    throw new ApiError('invalid_request', 'invalid request body: incomplete', { cause });
  }
  if (size > limitBytes) throw tooLarge();
  return Buffer.concat(chunks);
}

const notJson = (cause?: unknown) =>
  new ApiError('invalid_request', 'invalid request body: not JSON in UTF-8', { cause });

/** What is sent at once has a thousand rows at most; others wait while it is read and checked. */
const mostCommas = 10_000;

/** The text of a body that should be JSON. Throws `invalid_request` for one that can't be, or has too much in it. */
export function decodedJson(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!isTooIntricate(text, mostCommas)) return text;
  } catch (cause) {
    throw notJson(cause);
  }
  throw new ApiError('invalid_request', 'invalid request body: too many values');
}

function parsedBody(bytes: Buffer): unknown {
  const text = decodedJson(bytes);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson(cause);
  }
}

/** What is read, and thrown away, of a body that came with a refused request: for ten beats, a second in all. */
const beatMs = 100;
const mostBeats = 10;
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
  // A standstill of this process, in which it could read nothing, takes one beat and not all of the time.
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    if (beats === mostBeats) resolve();
  }, beatMs);
  request.resume();
  await enough;
  clearInterval(timer);
}

/** Gives the memory of a chunk back at once: what many senders still send would pile up until garbage is collected. */
function free({ buffer, byteLength }: Buffer) {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isOwn) buffer.transfer(0);
}

/** The parameters of a query, or the fields of a form, that came once. */
export const textsOf = (values: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries<unknown>(Object(values)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
