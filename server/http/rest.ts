import type { AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { callProcedure } from '../call-procedure.ts';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { ApiError, toApiError } from '../errors.ts';
import { readJsonObject } from './body.ts';
import { readQuery } from './query.ts';
import { type Http, sendOutput } from './rest-output.ts';
import { type RestProcedure, restProcedures } from './rest-procedures.ts';

/** Serves each procedure at its REST path: one native route each, no code of their own. */
export function serveRest(app: FastifyInstance, router: AnyRouter, deps: Deps) {
  for (const procedure of restProcedures(router)) {
    const { method, path } = procedure.route;
    app.route({
      method,
      url: `/api${path.replace(/{(\w+)}/g, ':$1')}`,
      config: { tier: procedure.meta.tier },
      onRequest: hideBodyType,
      handler: (request, reply) => answer(procedure, deps, { request, reply }),
    });
  }
}

/** Fastify refuses types that it can't read before the access checks, and on a DELETE; here a procedure reads them, or none. */
function hideBodyType(request: FastifyRequest, _reply: unknown, done: () => void) {
  if (request.raw.headers['content-type'] !== undefined) request.headers = { 'content-type': 'unread/body' };
  done();
}

async function answer(procedure: RestProcedure, deps: Deps, http: Http) {
  const { name, call, meta, takesBody } = procedure;
  // The router takes the nothing behind a trailing slash for a parameter.
  if (Object.values(http.request.params as object).includes('')) throw new ApiError('not_found');
  try {
    const output = await callProcedure(call, {
      ctx: createContext(deps, http.request, 'rest'),
      path: name,
      batchIndex: 0,
      getRawInput: () => readInput(procedure, http.request, deps.config.bodyLimitBytes),
    });
    return sendOutput(deps, http, { output, status: meta.status ?? 200 });
  } catch (error) {
    throw toApiError(error, takesBody);
  }
}

/** Path parameters with the body or the query. Called after the access checks, so nobody without a key has a body read. */
async function readInput(
  { route, takesBody, input }: RestProcedure,
  request: FastifyRequest,
  limitBytes: number,
) {
  const params = request.params as Record<string, string>;
  if (route.method === 'GET') return { ...readQuery(request, Object.keys(input?.shape ?? {})), ...params };
  if (!takesBody) return params;
  const body = await readJsonObject(request.raw, limitBytes);
  const clash = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (clash) throw new ApiError('validation_failed', `Unrecognized key: "${clash}"`);
  return { ...body, ...params };
}
