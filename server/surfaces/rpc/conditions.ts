import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import type { Context } from '../../kernel/context.ts';
import { entityTag } from '../../kernel/entity-tag.ts';
import type { Procedure } from '../../kernel/procedures.ts';
import { readRpcRequest } from './path.ts';

/** What one header asks of a record's revision can't be meant of several. */
export function refuseSharedCondition(
  { ifMatch }: Context,
  procedures: ReadonlyMap<string, Procedure>,
  request: FastifyRequest,
) {
  const writes = readRpcRequest(request).names.filter((name) => procedures.get(name)?.type === 'mutation');
  if (ifMatch && writes.length > 1)
    throw new ApiError('invalid_request', 'If-Match: send each write in a request of its own');
}

/** The answer to a request with one call has the tag that it has over REST, if it tells of one record. */
export function tagAnswer({ answer, deps }: Context, reply: FastifyReply, output: unknown) {
  const { revision } = answer;
  if (revision === undefined) return;
  const etag = deps.responses.renderedOf(output)?.etag() ?? entityTag(JSON.stringify(output), revision);
  reply.header('ETag', etag);
}
