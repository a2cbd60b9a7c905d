import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Coded, type Coding, coded, codingFor, compressed, tagOf } from '../../kernel/coded.ts';
import { entityTag, hasTag } from '../../kernel/entity-tag.ts';

export const jsonType = 'application/json; charset=utf-8';

/** What answers of procedures say that may be kept. */
export const keptHead = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, X-Member-Token, Accept-Encoding',
};

/** What is sent to many as the same bytes. */
export interface Kept {
  type: string;
  /** Strong entity tag of the bytes before any coding. */
  etag: string;
  bytes: Coded;
}

export function toKept(type: string, text: string | Buffer): Kept {
  const bytes = coded(text);
  return { type, etag: entityTag(bytes.plain()), bytes };
}

/** The form in which a client takes it, and whether the client has it in that one. */
export function formOf({ etag, bytes }: Sized, headers: IncomingHttpHeaders) {
  const coding = codingFor(headers['accept-encoding'], bytes);
  const tag = tagOf(etag, coding);
  const has = headers['if-none-match'];
  return { coding, tag, isKnown: has !== undefined && hasTag(has, tag) };
}

interface Sized {
  etag: string;
  bytes: Pick<Coded, 'length'>;
}

/** Sends it in the best coding that the client takes, or a 304 to who has it in that one. The caller says in `Vary` what else it depends on. */
export function sendKept(kept: Kept, request: FastifyRequest, reply: FastifyReply) {
  const { type, bytes } = kept;
  const { coding, tag, isKnown } = formOf(kept, request.headers);
  reply.header('ETag', tag);
  if (isKnown) return sendUnchanged(request, reply);
  return sendCoded({ bytes, coding }, reply.type(type));
}

/** The same for what is sent this once. */
export async function sendUnkept(
  { type, etag, text }: { type: string; etag: string; text: string },
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const bytes = { length: Buffer.byteLength(text) };
  const { tag, coding, isKnown } = formOf({ etag, bytes }, request.headers);
  reply.header('ETag', tag);
  if (isKnown) return sendUnchanged(request, reply);
  if (!coding) return reply.type(type).send(text);
  const body = await compressed(text, coding);
  return reply.type(type).header('Content-Encoding', coding).send(body);
}

/** That a client's copy is still right. Fastify tells HEAD the length of what it is given, 0 for nothing; of a stream it tells none. */
export const sendUnchanged = ({ method }: FastifyRequest, reply: FastifyReply) =>
  reply.code(304).send(method === 'HEAD' ? Readable.from([]) : undefined);

/** Sends the bytes in a coding that the client takes. */
export function sendCoded({ bytes, coding }: { bytes: Coded; coding: Coding | null }, reply: FastifyReply) {
  if (!coding) return reply.send(bytes.plain());
  return bytes.as(coding).then((body) => reply.header('Content-Encoding', coding).send(body));
}

/** Sends what is the same for everyone as long as the process lives. Caches may keep it, but ask each time. */
export function sendFixed(kept: Kept, request: FastifyRequest, reply: FastifyReply) {
  reply.header('Cache-Control', 'public, no-cache').header('Vary', 'Accept-Encoding');
  return sendKept(kept, request, reply);
}
