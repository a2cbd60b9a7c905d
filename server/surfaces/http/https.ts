import type { FastifyInstance } from 'fastify';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';

const healthChecks = ['/healthz', '/readyz'];

/** With an https `PUBLIC_URL`, plain http is refused everywhere but at the health checks. */
export function requireHttps(app: FastifyInstance, { config }: Deps) {
  if (config.publicUrl.protocol !== 'https:') return;
  app.addHook('onRequest', (request, reply, done) => {
    const isHealth = healthChecks.includes(request.routeOptions.url ?? '');
    if (request.protocol !== 'https' && !isHealth) throw new ApiError('invalid_request', 'HTTPS is required');
    reply.header('Strict-Transport-Security', 'max-age=31536000');
    done();
  });
}
