import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Coded,
  type Coding,
  coded,
  codingFor,
  type Sendable,
  tagOf,
} from '../../shared/runtime/coded.ts';
import { entityTag, hasTag } from '../api/entity-tag.ts';

export interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

export const jsonType = 'application/json; charset=utf-8';

/** A representation (RFC 9110, 3.2): what is sent to several clients, each in the coding that it takes. */
export interface Representation<Body extends Sendable = Coded> {
  type: string;
  /** Strong entity tag of the bytes before any coding. */
  etag: string;
  bytes: Body;
  /** What else is said of it, names and values in turns. */
  headers: readonly string[];
}

export interface HttpAnswer<Body extends Sendable = Coded> {
  status: 200 | 304;
  /** Names and values in turns. */
  headers: string[];
  /** Null for a 304. */
  body: Body | null;
  coding: Coding | null;
}

export const toContent = (
  type: string,
  text: string | Buffer,
  headers: readonly string[] = [],
): Representation => {
  const bytes = coded(text);
  return { type, etag: entityTag(bytes.plain()), bytes, headers };
};

/**
 * The answer to who asks with these headers: in the best coding that they take, or a 304 if they have it in that one. What
 * it says of itself is added to `headers`.
 */
export function answerOf<Body extends Sendable>(
  { type, etag, bytes, headers: own }: Representation<Body>,
  request: IncomingHttpHeaders,
  headers: string[] = [],
): HttpAnswer<Body> {
  const coding = codingFor(request['accept-encoding'], bytes);
  const tag = tagOf(etag, coding);
  headers.push(...own, 'etag', tag);
  const has = request['if-none-match'];
  if (has !== undefined && hasTag(has, tag)) return { status: 304, headers, body: null, coding: null };
  headers.push('content-type', type);
  return { status: 200, headers, body: bytes, coding };
}

/** Sends content as its client takes it. What it depends on besides the coding is said in its headers. */
export async function send(content: Representation<Sendable>, request: FastifyRequest, reply: FastifyReply) {
  const { headers, body, coding } = answerOf(content, request.headers);
  setHeaders(reply, headers);
  return body ? sendBody({ body, coding }, reply) : sendUnchanged(request, reply);
}

export function setHeaders(reply: FastifyReply, headers: readonly string[]) {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? '', headers[at + 1]);
}

export async function sendBody(
  { body, coding }: { body: Sendable; coding: Coding | null },
  reply: FastifyReply,
) {
  if (!coding) return reply.send(body.plain());
  const bytes = await body.as(coding);
  return reply.header('content-encoding', coding).send(bytes);
}

/** That a client's copy is still right. Fastify tells HEAD the length of what it is given, 0 for nothing; of a stream it tells none. */
export const sendUnchanged = ({ method }: FastifyRequest, reply: FastifyReply) =>
  reply.code(304).send(method === 'HEAD' ? Readable.from([]) : undefined);

/** For what is the same for everyone as long as the process lives: caches may keep it, but ask each time. */
export const fixed = ['cache-control', 'public, no-cache', 'vary', 'Accept-Encoding'] as const;
