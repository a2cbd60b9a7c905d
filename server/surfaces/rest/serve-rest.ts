import { Readable } from 'node:stream';
import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { unknownField } from '../../../shared/contract/validation-messages.ts';
import { ApiError, toApiError } from '../../kernel/api-error.ts';
import { call } from '../../kernel/call.ts';
import type { Context } from '../../kernel/context.ts';
import type { Deps } from '../../kernel/deps.ts';
import { entityTag } from '../../kernel/entity-tag.ts';
import {
  jsonOf,
  type LargeAnswer,
  LargeAnswerError,
  openLargeAnswer,
  streamOf,
} from '../../kernel/large-answer.ts';
import { type RestProcedure, restProceduresOf } from '../../kernel/procedures.ts';
import type { ResponseCache } from '../../kernel/response-cache.ts';
import { readJsonObject } from '../http/body.ts';
import { replayHeader } from '../http/cors.ts';
import { createContext } from '../http/create-context.ts';
import type { KnownAddresses } from '../http/known-addresses.ts';
import { jsonType, keptHead, sendKept, sendUnkept } from '../http/send-kept.ts';
import { knownRead } from './known-read.ts';
import { nextLink, readQuery } from './query.ts';
import { leaveRest, readUpload } from './upload.ts';

export interface Rest {
  deps: Deps;
  addresses: KnownAddresses;
}

/** Serves each procedure at its REST path: one native route each, no code of their own. */
export function serveRest(app: FastifyInstance, router: AnyRouter, { deps, addresses }: Rest) {
  for (const procedure of restProceduresOf(router)) {
    const { method, path } = procedure.meta.openapi;
    app.route({
      method,
      url: path.replace(/{(\w+)}/g, ':$1'),
      config: { tier: procedure.meta.tier, takesFile: procedure.meta.multipart },
      handler: (request, reply) => answer(procedure, { deps, addresses }, { request, reply }),
      // Fastify refuses a malformed type before the access checks; which type a body needs, if any, the procedure says.
      errorHandler(error, request, reply) {
        if (error.code !== 'FST_ERR_CTP_INVALID_MEDIA_TYPE') throw error;
        return answer(procedure, { deps, addresses }, { request, reply });
      },
    });
  }
}

interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

async function answer(procedure: RestProcedure, { deps, addresses }: Rest, http: Http) {
  // Fastify matches `/posts/` as `/posts/{id}` with an empty id, but a path with a trailing slash is no endpoint.
  const params = Params.parse(http.request.params);
  if (Object.values(params).includes('')) throw new ApiError('not_found');
  const ctx = createContext(deps, http.request, 'rest');
  try {
    const output = await call(procedure, {
      ctx,
      getRawInput: () => readInput(procedure, { request: http.request, params }, ctx),
    });
    if (ctx.once?.isReplay) http.reply.header(replayHeader, 'true');
    if (procedure.type === 'query') {
      const link = nextLink(procedure, http.request.url, output);
      if (link) http.reply.header('Link', link);
      const known = knownRead(http.request, procedure, ctx);
      if (known) addresses.learn(http.request.originalUrl, known);
    }
    const { revision, status } = ctx.answer;
    http.reply.code(status ?? procedure.meta.status ?? 200);
    if (procedure.meta.cached) return sendRead(http, { output, revision, responses: deps.responses });
    return sendOutput(http, { output, revision });
  } catch (error) {
    if (error instanceof LargeAnswerError)
      return sendLargeRead(procedure, await openLargeAnswer(error), http);
    if (procedure.meta.multipart) leaveRest(http);
    throw toApiError(error, procedure.takesBody);
  }
}

/** Without a tag, which would have to be known before the last record is. */
function sendLargeRead(procedure: RestProcedure, answer: LargeAnswer, { request, reply }: Http) {
  const link = nextLink(procedure, request.url, answer.rest);
  if (link) reply.header('Link', link);
  reply.headers(keptHead).type(jsonType);
  if (request.method !== 'HEAD') return reply.send(streamOf(jsonOf(answer), answer));
  answer[Symbol.dispose]();
  return reply.send(Readable.from([]));
}

const Params = z.record(z.string(), z.string());

interface Target {
  request: FastifyRequest;
  params: z.infer<typeof Params>;
}

/** Path parameters with the body or the query. Called after the access checks, so nobody without a key has a body read. */
async function readInput(procedure: RestProcedure, { request, params }: Target, { deps, once }: Context) {
  if (procedure.meta.openapi.method === 'GET')
    return { ...readQuery(request, procedure.input?.shape ?? {}), ...params };
  if (procedure.meta.multipart) return { ...readUpload(request), ...params };
  if (!procedure.takesBody) return params;
  const body = await readJsonObject(request.raw, deps.config.bodyLimitBytes, (bytes) => {
    if (once) once.body = bytes;
  });
  const clash = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (clash) throw new ApiError('validation_failed', `${clash}: ${unknownField}`);
  return { ...body, ...params };
}

interface Output {
  output: unknown;
  /** Of the one record that it tells of. */
  revision: number | undefined;
}

/** What tells of one record is tagged with its `revision`. */
function sendOutput({ reply }: Http, { output, revision }: Output) {
  const body = JSON.stringify(output);
  if (revision !== undefined) reply.header('ETag', entityTag(body, revision));
  return reply.type(jsonType).send(body);
}

/** An answer that may be kept: as the bytes it was rendered to, if it is, or as a 304 to one who has them. */
function sendRead(
  { request, reply }: Http,
  { output, revision, responses }: Output & { responses: ResponseCache },
) {
  reply.headers(keptHead);
  const rendered = responses.renderedOf(output);
  if (rendered)
    return sendKept({ type: jsonType, etag: rendered.etag(), bytes: rendered.body() }, request, reply);
  const text = JSON.stringify(output);
  return sendUnkept({ type: jsonType, etag: entityTag(text, revision), text }, request, reply);
}
