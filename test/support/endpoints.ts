import { type RestProcedure, restProceduresOf } from '../../server/api/procedures.ts';
import { restRouter } from '../../server/api/router/app-router.ts';
import type { Scope } from '../../shared/contract/scopes.ts';
import type { TestApp } from './app.ts';
import { exampleInput, inputNames } from './examples.ts';
import type { Answer, CallOptions } from './http.ts';
import { formOf, smallestPicture } from './pictures.ts';

/** One REST endpoint, with a request that its contract takes. */
export interface Endpoint {
  /** As the documentation writes it: `PATCH /api/v1/posts/{id}`. */
  title: string;
  method: string;
  /** With an example in place of each parameter. */
  path: string;
  /** Matches the path with any value in place of each parameter. */
  pattern: RegExp;
  body: Record<string, unknown> | undefined;
  /** Whether it takes a form with a file. */
  takesFile: boolean;
  /** Names of its query parameters. */
  query: string[];
  access: 'key' | 'owner' | 'public';
  scope: Scope | undefined;
}

/** Every REST endpoint there is: a new one is in here by being declared. */
export const endpoints: readonly Endpoint[] = restProceduresOf(restRouter).map(describeEndpoint);

export const keyEndpoints = endpoints.filter(({ access }) => access === 'key');
export const ownerEndpoints = endpoints.filter(({ access }) => access === 'owner');

function describeEndpoint(procedure: RestProcedure): Endpoint {
  const { name, meta } = procedure;
  const { access, scope, openapi: route } = meta;
  if (!access) throw new Error(`${name} does not say whose credential it needs`);
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

/** A call of the endpoint; its example body goes along unless another is given. */
export function callEndpoint(app: TestApp, endpoint: Endpoint, options: CallOptions = {}) {
  const { method, path, body, takesFile } = endpoint;
  if (!takesFile) return app.call(method, path, { ...(body && { body }), ...options });
  const form = formOf(smallestPicture);
  return app.call(method, path, { ...form, ...options, headers: { ...form.headers, ...options.headers } });
}

/** So many are asked at once: of all together, the last would wait for the database for longer than the server lets them. */
const askedAtOnce = 10;

/** What each of `asked` answers, by its title. */
export async function answersOf(
  asked: readonly Endpoint[],
  call: (endpoint: Endpoint) => Promise<Answer>,
): Promise<Record<string, Answer>> {
  const answers: Record<string, Answer> = {};
  const left = asked.values();
  const askNext = async () => {
    for (const endpoint of left) answers[endpoint.title] = await call(endpoint);
  };
  await Promise.all(Array.from({ length: askedAtOnce }, askNext));
  return answers;
}

/** The same answer from each of `asked`. */
export const sameFrom = (asked: readonly Endpoint[], answer: Answer) =>
  Object.fromEntries(asked.map(({ title }) => [title, answer]));

/** Those of the answers that say that the caller may not call, or that the service failed. */
export const refused = (answers: Record<string, Answer>) =>
  Object.entries(answers).filter(([, { status }]) => status === 401 || status === 403 || status >= 500);
