import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasTag } from './etag.ts';

/** An answer that is the same for everyone as long as the process lives. */
export interface FixedAnswer {
  type: string;
  plain: Buffer;
  zipped: Buffer;
  etag: string;
}

export async function fixedAnswer(type: string, body: string | Buffer): Promise<FixedAnswer> {
  const plain = Buffer.from(body);
  const etag = `"${createHash('sha256').update(plain).digest('base64url')}"`;
  return { type, plain, zipped: await promisify(gzip)(plain), etag };
}

/** Sends it, or says that the client's copy is still right. Caches may keep it, but ask each time. */
export function sendFixed(answer: FixedAnswer, request: FastifyRequest, reply: FastifyReply) {
  reply
    .header('Cache-Control', 'public, no-cache')
    .header('ETag', answer.etag)
    .header('Vary', 'Accept-Encoding');
  const known = request.headers['if-none-match'];
  if (known && hasTag(known, answer.etag)) return reply.code(304).send();
  const zipped = /\bgzip\b/i.test(String(request.headers['accept-encoding'] ?? ''));
  if (zipped) reply.header('Content-Encoding', 'gzip');
  return reply.type(answer.type).send(zipped ? answer.zipped : answer.plain);
}
