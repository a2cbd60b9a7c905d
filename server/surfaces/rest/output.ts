import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../kernel/deps.ts';
import { entityTag } from '../../kernel/entity-tag.ts';
import { sendKept } from '../http/send-kept.ts';

export interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

export const jsonType = 'application/json; charset=utf-8';

const keptHead = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, X-Member-Token, Accept-Encoding',
};

/** Of answers from memory. */
export const keptHeaders = Object.entries(keptHead).flat();

/** What tells of one record is tagged with its `revision`. Kept answers are sent as the bytes they were rendered to, or as a 304 to one who has them. */
export function sendOutput(
  { responses }: Deps,
  { request, reply }: Http,
  { output, status, revision }: { output: unknown; status: number; revision: number | undefined },
) {
  const rendered = responses.renderedOf(output);
  if (!rendered) {
    const body = JSON.stringify(output);
    if (revision !== undefined) reply.header('ETag', entityTag(body, revision));
    return reply.code(status).type(jsonType).send(body);
  }
  reply.headers(keptHead);
  return sendKept(
    { type: jsonType, etag: rendered.etag(), bytes: rendered.body() },
    request,
    reply.code(status),
  );
}
