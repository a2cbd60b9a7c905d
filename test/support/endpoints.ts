import { type RestProcedure, restProceduresOf } from '../../server/api/procedures.ts';
import { restRouter } from '../../server/api/router/app-router.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { TestApp } from './app.ts';
import { exampleInput, inputNames } from './examples.ts';
import type { Answer, CallOptions } from './http.ts';
import { formOf, smallestImage } from './images.ts';

/** REST endpoint with a valid example request. */
export interface Endpoint {
  /** Title as in the documentation: `PATCH /api/v1/posts/{id}`. */
  title: string;
  method: string;
  /** Path with an example for each parameter. */
  path: string;
  /** Pattern that matches the path with any values of its parameters. */
  pattern: RegExp;
  body: Record<string, unknown> | undefined;
  /** True if it accepts a form with a file. */
  takesFile: boolean;
  /** Names of its query parameters. */
  query: string[];
  access: 'key' | 'owner' | 'public';
  scope: Scope | undefined;
}

/** All REST endpoints. A newly declared endpoint is included automatically. */
export const endpoints: readonly Endpoint[] = restProceduresOf(restRouter).map(describeEndpoint);

export const keyEndpoints = endpoints.filter(({ access }) => access === 'key');
export const ownerEndpoints = endpoints.filter(({ access }) => access === 'owner');

function describeEndpoint(procedure: RestProcedure): Endpoint {
  const { name, meta } = procedure;
  const { access, scope, openapi: route } = meta;
  if (!access) throw new Error(`the procedure ${name} does not declare its access`);
  const example = exampleInput(procedure);
  const parameters = [...route.path.matchAll(/{(\w+)}/g)].map(([, parameter = '']) => parameter);
  const fields = Object.entries(example).filter(([field]) => !parameters.includes(field));
  return {
    title: `${route.method} ${route.path}`,
    method: route.method,
    path: route.path.replace(/{(\w+)}/g, (_, parameter: string) => String(example[parameter])),
    pattern: new RegExp(`^${route.path.replace(/{\w+}/g, '[^/]+')}$`),
    body: procedure.takesBody && !meta.multipart ? Object.fromEntries(fields) : undefined,
    takesFile: meta.multipart === true,
    query: route.method === 'GET' ? inputNames(procedure).filter((name) => !parameters.includes(name)) : [],
    access,
    scope,
  };
}

/** Calls an endpoint with its example body, unless `options` contain another one. */
export function callEndpoint(app: TestApp, endpoint: Endpoint, options: CallOptions = {}) {
  const { method, path, body, takesFile } = endpoint;
  if (!takesFile) return app.call(method, path, { ...(body && { body }), ...options });
  const form = formOf(smallestImage);
  return app.call(method, path, { ...form, ...options, headers: { ...form.headers, ...options.headers } });
}

/**
 * Maximum number of concurrent calls. With more, the last one would exceed the time limit for a database connection.
 */
const askedAtOnce = 10;

/** Returns the answers of endpoints, by title. */
export async function answersOf(
  requested: readonly Endpoint[],
  call: (endpoint: Endpoint) => Promise<Answer>,
): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  const left = requested.values();
  const askNext = async () => {
    for (const endpoint of left) answers[endpoint.title] = await call(endpoint);
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askNext));
  return answers;
}

/** Returns a table with the same answer for each endpoint. */
export const sameFrom = (requested: readonly Endpoint[], answer: Answer) =>
  Object.fromEntries(requested.map(({ title }) => [title, answer]));

/** Returns the answers that refused the caller, or report a failure of the service. */
export const refused = (answers: Record<string, Answer>) =>
  Object.entries(answers).filter(([, { status }]) => status === 401 || status === 403 || status >= 500);
