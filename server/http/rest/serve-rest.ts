import { Readable } from 'node:stream';
import multipart from '@fastify/multipart';
import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unknownField } from '../../../shared/contract/validation-messages.ts';
import { ApiError, toApiError } from '../../api/api-error.ts';
import { call } from '../../api/calls/call.ts';
import type { Context } from '../../api/context.ts';
import type { Deps } from '../../api/deps.ts';
import { entityTag } from '../../api/entity-tag.ts';
import { LargeAnswerError } from '../../api/large-answer.ts';
import { type RestProcedure, restProceduresOf } from '../../api/procedures.ts';
import { readJsonObject } from '../body.ts';
import { replayHeader } from '../cors.ts';
import { createContext } from '../create-context.ts';
import type { CachedAddresses } from '../fast-path.ts';
import { jsonOf, type LargeAnswer, openLargeAnswer, timedBody } from '../large-answer.ts';
import { type Http, jsonType, send, setHeaders } from '../send-representation.ts';
import { nextLink, readQuery } from './query.ts';
import { cachedAddressOf, readContent, readHeaders } from './read-content.ts';
import { leaveRest, readUpload } from './upload.ts';

export interface Rest {
  deps: Deps;
  addresses: CachedAddresses;
}

/** Serves each procedure at its REST path, as a native route. */
export function serveRest(app: FastifyInstance, router: AnyRouter, rest: Rest) {
  for (const procedure of restProceduresOf(router)) {
    const { method, path } = procedure.meta.openapi;
    app.route({
      method,
      url: path.replace(/{(\w+)}/g, ':$1'),
      config: { tier: procedure.meta.tier, takesFile: procedure.meta.multipart },
      handler: (request, reply) => answer(procedure, rest, { request, reply }),
      // Fastify refuses a malformed type before the access checks, but the procedure decides which type a body needs.
      errorHandler(error, request, reply) {
        if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
        return answer(procedure, rest, { request, reply });
      },
    });
  }
}

/** Serves the procedures that take files. Their forms are read in parts, after the access checks. */
export async function serveUploads(app: FastifyInstance, router: AnyRouter, rest: Rest) {
  app.removeAllContentTypeParsers();
  await app.register(multipart);
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  serveRest(app, router, rest);
}

async function answer(procedure: RestProcedure, { deps, addresses }: Rest, http: Http) {
  // Fastify matches `/posts/` as `/posts/{id}` with an empty id, but a path with a trailing slash is not an endpoint.
  const params = Params.parse(http.request.params);
  if (Object.values(params).includes('')) throw new ApiError('not_found');
  const ctx = createContext(deps, http.request, 'rest');
  if (procedure.meta.previewToken) http.reply.header('Cache-Control', 'no-store');
  try {
    const output = await call(procedure, {
      ctx,
      getRawInput: () => readInput(procedure, http.request, params, ctx),
    });
    if (ctx.idempotency?.isReplay) http.reply.header(replayHeader, 'true');
    const { request, reply } = http;
    if (procedure.meta.cached) {
      const address = cachedAddressOf(procedure, request, ctx);
      if (address) addresses.set(request.originalUrl, address);
      const headers = readHeaders(procedure, request.url, output);
      return await send(readContent(output, headers, ctx), request, reply);
    }
    return sendOutput(procedure, output, ctx, http);
  } catch (error) {
    if (error instanceof LargeAnswerError)
      return sendLargeRead(procedure, await openLargeAnswer(error), deps, http);
    if (procedure.meta.multipart) leaveRest(http);
    throw toApiError(error, procedure.takesBody);
  }
}

/** Sends a large answer without an entity tag, which would depend on the last record. */
function sendLargeRead(procedure: RestProcedure, answer: LargeAnswer, deps: Deps, { request, reply }: Http) {
  setHeaders(reply, readHeaders(procedure, request.url, answer.rest));
  reply.type(jsonType);
  if (request.method !== 'HEAD')
    return reply.send(timedBody(jsonOf(answer), deps.timeouts.largeAnswer, () => answer));
  answer[Symbol.dispose]();
  return reply.send(Readable.from([]));
}

const Params = z.record(z.string(), z.string());

/**
 * Combines path parameters with the body or the query. Called after the access checks, so that bodies of callers
 * without a key are not read.
 */
async function readInput(
  procedure: RestProcedure,
  request: FastifyRequest,
  params: z.infer<typeof Params>,
  { deps, idempotency }: Context,
) {
  if (procedure.meta.openapi.method === 'GET')
    return { ...readQuery(request, procedure.input?.shape ?? {}), ...params };
  if (procedure.meta.multipart) return { ...readUpload(request), ...params };
  if (!procedure.takesBody) return params;
  const body = await readJsonObject(request.raw, deps.config.bodyLimitBytes, (bytes) => {
    if (idempotency) idempotency.body = bytes;
  });
  const clash = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (clash) throw new ApiError('validation_failed', `${clash}: ${unknownField}`);
  return { ...body, ...params };
}

/** Sends output that is never cached. The entity tag of a single record contains its revision. */
function sendOutput(procedure: RestProcedure, output: unknown, ctx: Context, { request, reply }: Http) {
  const { revision, status } = ctx.answer;
  const link = procedure.type === 'query' && nextLink(procedure, request.url, output);
  if (link) reply.header('Link', link);
  const body = JSON.stringify(output);
  if (revision !== undefined) reply.header('ETag', entityTag(body, revision));
  return reply
    .code(status ?? procedure.meta.status ?? 200)
    .type(jsonType)
    .send(body);
}
