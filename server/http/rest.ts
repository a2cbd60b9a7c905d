import type { AnyProcedure, AnyRouter } from '@trpc/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createContext } from '../context.ts';
import type { Deps } from '../deps.ts';
import { ApiError, toApiError } from '../errors.ts';
import type { Meta } from '../trpc.ts';
import { readJsonObject } from './body.ts';
import { readQuery } from './query.ts';

type Route = NonNullable<Meta['openapi']>;

interface Http {
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A procedure with what it says of its REST side. */
export interface RestProcedure {
  /** As RPC calls it: `v1.posts.list`. */
  name: string;
  call: AnyProcedure;
  route: Route;
  meta: Meta;
}

/** Every procedure that has a REST path. */
export function restProcedures(router: AnyRouter): RestProcedure[] {
  const procedures = Object.entries<AnyProcedure>(router._def.procedures);
  return procedures.flatMap(([name, call]) => {
    const meta = call._def.meta as Meta;
    return meta.openapi ? [{ name, call, meta, route: meta.openapi }] : [];
  });
}

/** Serves each procedure at its REST path: one native route each, no code of their own. */
export function serveRest(app: FastifyInstance, router: AnyRouter, deps: Deps) {
  for (const procedure of restProcedures(router)) {
    const { method, path } = procedure.route;
    app.route({
      method,
      url: `/api${path.replace(/{(\w+)}/g, ':$1')}`,
      config: { tier: procedure.meta.tier },
      handler: (request, reply) => answer(procedure, deps, { request, reply }),
    });
  }
}

async function answer({ name, call, meta, route }: RestProcedure, deps: Deps, http: Http) {
  const source = inputSource(route, meta);
  // The router takes the nothing behind a trailing slash for a parameter.
  if (Object.values(http.request.params as object).includes('')) throw new ApiError('not_found');
  try {
    const output: unknown = await call({
      ctx: createContext(deps, http.request, 'rest'),
      path: name,
      type: call._def.type,
      getRawInput: () => readInput(http.request, source, deps.config.bodyLimitBytes),
      signal: undefined,
      batchIndex: 0,
    });
    return sendOutput(deps, http, { output, status: meta.status ?? 200 });
  } catch (error) {
    throw toApiError(error, source === 'body');
  }
}

/** Kept answers are sent as the bytes they were rendered to, or as a 304 to one who has them. */
function sendOutput(
  { answers }: Deps,
  { request, reply }: Http,
  { output, status }: { output: unknown; status: number },
) {
  reply.code(status).type('application/json; charset=utf-8');
  const rendered = typeof output === 'object' && output ? answers.renderedOf(output) : undefined;
  if (!rendered) return reply.send(JSON.stringify(output));
  reply.headers({
    ETag: rendered.etag,
    'Cache-Control': 'private, no-cache',
    Vary: 'Authorization, X-Member-Token',
  });
  const known = request.headers['if-none-match'];
  if (known && hasTag(known, rendered.etag)) return reply.code(304).send();
  return reply.send(rendered.body);
}

/** RFC 9110 section 13.1.2: weak comparison, or any at all. */
const hasTag = (header: string, etag: string) =>
  header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

type InputSource = 'query' | 'body' | 'path';

/** What a procedure is told its input by, besides its path. */
function inputSource({ method }: Route, { bodyless }: Meta): InputSource {
  if (method === 'GET') return 'query';
  return method === 'DELETE' || bodyless ? 'path' : 'body';
}

/** Called after the access checks, so nobody without a key has a body read. */
async function readInput(request: FastifyRequest, source: InputSource, bodyLimitBytes: number) {
  const params = request.params as Record<string, string>;
  if (source === 'path') return params;
  if (source === 'query') return { ...readQuery(request), ...params };
  const body = await readJsonObject(request.raw, bodyLimitBytes);
  const clash = Object.keys(params).find((name) => Object.hasOwn(body, name));
  if (clash) throw new ApiError('validation_failed', `Unrecognized key: "${clash}"`);
  return { ...body, ...params };
}
