import type { FastifyReply } from 'fastify';
import { maxBatchCalls } from '../../../shared/contract/limits.ts';
import { ApiError } from '../../kernel/api-error.ts';
import type { Context } from '../../kernel/context.ts';
import { entityTag } from '../../kernel/entity-tag.ts';
import type { Procedure } from '../../kernel/procedures.ts';
import type { RpcRequest } from './path.ts';

/** tRPC would refuse it too, but without a word of why. */
export function refuseLongBatch({ names }: RpcRequest) {
  if (names.length > maxBatchCalls)
    throw new ApiError('invalid_request', `a batch has at most ${maxBatchCalls} calls`);
}

/** What a header says of a write is said of one: a key is its own, and so is the revision it asks for. */
export function refuseSeveralWrites(
  { idempotency, ifMatch }: Context,
  procedures: ReadonlyMap<string, Procedure>,
  { names }: RpcRequest,
) {
  if (!idempotency && !ifMatch) return;
  const writes = names.filter((name) => procedures.get(name)?.isWrite);
  if (writes.length < 2) return;
  const header = idempotency ? 'Idempotency-Key' : 'If-Match';
  throw new ApiError('invalid_request', `${header}: is supported only in a batch with a single write`);
}

/** The answer to a request with one call has the tag that it has over REST, if it tells of one record. */
export function tagAnswer({ answer, deps }: Context, reply: FastifyReply, output: unknown) {
  const { revision } = answer;
  if (revision === undefined) return;
  const etag = deps.responses.renderedOf(output)?.etag() ?? entityTag(JSON.stringify(output), revision);
  reply.header('ETag', etag);
}
