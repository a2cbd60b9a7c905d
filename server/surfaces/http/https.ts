import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';

/** With an https `PUBLIC_URL`, plain http is refused everywhere but at `asked`, the paths that proxies on the same machine ask. */
export function requireHttps(app: FastifyInstance, { config }: Deps, asked: readonly string[]) {
  if (config.publicUrl.protocol !== 'https:') return;
  app.addHook('onRequest', (request, reply, done) => {
    const isAsked = asked.includes(request.routeOptions.url ?? '');
    if (request.protocol !== 'https' && !isAsked) throw new ApiError('invalid_request', 'HTTPS is required');
    reply.header('Strict-Transport-Security', 'max-age=31536000');
    done();
  });
}
