import type { FastifyRequest } from 'fastify';

/** Whether a request belongs to the RPC surface, by the route it reached, or by its URL when it reached none. */
export const isRpc = ({ routeOptions, url }: FastifyRequest) =>
  /^\/trpc([/?]|$)/.test(routeOptions.url ?? url);

/** What a request calls, as it came: procedure names with commas between them. */
export const calledPath = ({ params }: FastifyRequest) => (params as { '*'?: string })['*'] ?? '';

/** The names of the procedures that a request calls: one, or as many as its batch has. Reads the URL as tRPC does. */
export function calledNames(request: FastifyRequest): string[] {
  const query = URL.parse(request.url, 'http://localhost')?.searchParams;
  const path = decoded(calledPath(request));
  return query?.get('batch') === '1' ? path.split(',') : [path];
}

/** A path that can't be read is refused by tRPC; until then it is one call. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
