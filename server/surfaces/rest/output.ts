import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../kernel/deps.ts';
import { entityTag } from '../../kernel/entity-tag.ts';
import { hasTag } from '../http/etag.ts';

export interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** What tells of one record is tagged with its `revision`. Kept answers are sent as the bytes they were rendered to, or as a 304 to one who has them. */
export function sendOutput(
  { responses }: Deps,
  { request, reply }: Http,
  { output, status, revision }: { output: unknown; status: number; revision: number | undefined },
) {
  reply.code(status).type('application/json; charset=utf-8');
  const rendered = responses.renderedOf(output);
  if (!rendered) {
    const body = JSON.stringify(output);
    if (revision !== undefined) reply.header('ETag', entityTag(body, revision));
    return reply.send(body);
  }
  const etag = rendered.etag();
  reply.headers({
    ETag: etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, X-Member-Token',
  });
  const known = request.headers['if-none-match'];
  if (known && hasTag(known, etag)) return reply.code(304).removeHeader('Content-Type').send();
  return reply.send(rendered.body());
}
