import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isTooIntricate } from '../../shared/runtime/parse-json.ts';
import { ApiError } from '../api/api-error.ts';

const jsonType = /^application\/json\s*(;|$)/i;
const otherCharset = /;\s*charset\s*=(?!\s*"?utf-?8"?\s*(;|$))/i;

/**
 * Reads a body that must be one JSON object in UTF-8 of at most `limitBytes`. `note` receives its bytes. Throws
 * `invalid_request` or `payload_too_large`.
 */
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
    // Leaving the loop must not destroy the request, because that would close the connection before the answer.
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

/**
 * Maximum number of commas in a body. Legitimate bodies have up to a thousand rows; parsing more would block other
 * requests.
 */
const maxCommas = 10_000;

/**
 * Returns the text of a body that should be JSON, without parsing it. Throws `invalid_request` for invalid UTF-8 or too
 * many values.
 */
export function decodedJson(bytes: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!isTooIntricate(text, maxCommas)) return text;
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

/** Bounds for the rest of a refused request's body, which is read and discarded: ten intervals of 100 ms, or 16 MiB. */
const beatMs = 100;
const maxBeats = 10;
const maxBytes = 16 * 1024 * 1024;

/**
 * Keeps a connection that ends with its answer open until the request's body arrived, within bounds. If it were closed
 * while bytes of the client are unread, it would be reset and the answer lost.
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

/** Yields the answer, which the client receives completely, and ends after the request's body. */
async function* withRestOf(request: IncomingMessage, answer: string | Buffer) {
  yield answer;
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    free(chunk);
    if (bytes > maxBytes) resolve();
  });
  for (const event of ['end', 'error', 'close']) request.once(event, resolve);
  // Counts timer ticks instead of time, so that a stall of this process uses up one interval and not all of them.
  let beats = 0;
  const timer = setInterval(() => {
    beats += 1;
    if (beats === maxBeats) resolve();
  }, beatMs);
  request.resume();
  await enough;
  clearInterval(timer);
}

/** Releases the memory of a chunk immediately: the chunks of many senders would accumulate until garbage collection. */
function free({ buffer, byteLength }: Buffer) {
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  if (isOwn) buffer.transfer(0);
}

/** Returns the query parameters or form fields that occur once. Repeated ones are left out. */
export const textsOf = (values: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries<unknown>(Object(values)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  );
