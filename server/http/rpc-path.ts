import type { FastifyRequest } from 'fastify';

const prefix = '/trpc/';

/** Whether a request target belongs to the RPC surface. */
export const isRpcUrl = (url: string) => /^\/trpc([/?]|$)/.test(url);

/** What a request calls, as it came: procedure names with commas between them, percent-encoded. */
export const calledPath = ({ url }: FastifyRequest) => (url.split('?')[0] ?? '').slice(prefix.length);

/** The names of the procedures that a request calls: one, or as many as its batch has. */
export function calledNames(request: FastifyRequest): string[] {
  const query = new URLSearchParams(request.url.split('?')[1]);
  const path = decoded(calledPath(request));
  return query.get('batch') === '1' ? path.split(',') : [path];
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
