import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Coding,
  type CompressedBody,
  codingFor,
  createCompressedBody,
  type ResponseBody,
  tagOf,
} from '../../shared/runtime/compressed-body.ts';
import { entityTag, hasTag } from '../api/entity-tag.ts';

export interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

export const jsonType = 'application/json; charset=utf-8';

/** Representation of a resource (RFC 9110, 3.2), sent to clients in the content coding that each of them accepts. */
export interface Representation<Body extends ResponseBody = CompressedBody> {
  type: string;
  /** Strong entity tag of the uncompressed bytes. */
  etag: string;
  bytes: Body;
  /** Further headers, as alternating names and values. */
  headers: readonly string[];
}

export interface HttpAnswer<Body extends ResponseBody = CompressedBody> {
  status: 200 | 304;
  /** Headers, as alternating names and values. */
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
  const bytes = createCompressedBody(text);
  return { type, etag: entityTag(bytes.plain()), bytes, headers };
};

/**
 * Creates the answer to a request with these headers. It is in the best coding that the client accepts, or a 304 if the
 * client has that representation. Headers of the answer are appended to `headers`.
 */
export function answerOf<Body extends ResponseBody>(
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

/** Sends content in the coding that the client accepts. The content's own headers must name everything else in `Vary`. */
export async function send(
  content: Representation<ResponseBody>,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const { headers, body, coding } = answerOf(content, request.headers);
  setHeaders(reply, headers);
  return body ? sendBody(body, coding, reply) : sendUnchanged(request, reply);
}

export function setHeaders(reply: FastifyReply, headers: readonly string[]) {
  for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? '', headers[at + 1]);
}

export async function sendBody(body: ResponseBody, coding: Coding | null, reply: FastifyReply) {
  if (!coding) return reply.send(body.plain());
  const bytes = await body.as(coding);
  return reply.header('content-encoding', coding).send(bytes);
}

/** Sends a 304. Fastify sets the length of a HEAD reply from its payload, 0 for none; a stream prevents that. */
export const sendUnchanged = ({ method }: FastifyRequest, reply: FastifyReply) =>
  reply.code(304).send(method === 'HEAD' ? Readable.from([]) : undefined);

/** Cache headers of content that is the same for everyone while the process lives: caches must revalidate it on each use. */
export const fixed = ['cache-control', 'public, no-cache', 'vary', 'Accept-Encoding'] as const;
