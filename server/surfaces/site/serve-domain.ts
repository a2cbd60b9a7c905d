import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ApiError } from '../../kernel/api-error.ts';
import type { Deps } from '../../kernel/deps.ts';
import type { ClientReader } from '../http/client-address.ts';

export const domainPath = '/internal/domain';

const Question = z.object({ domain: z.string().toLowerCase() });

/**
 * Tells a proxy that ends TLS whether it should have a certificate for a domain: 200 for a site's and our own, else 404. For
 * anybody else there is nothing here.
 */
export function serveDomain(app: FastifyInstance, deps: Deps, client: ClientReader) {
  app.get(domainPath, { config: { tier: 'site' } }, async (request) => {
    if (!client.isOwnProxy(request.raw)) throw new ApiError('not_found');
    const { success, data } = Question.safeParse(request.query);
    if (!success) throw new ApiError('invalid_request', 'domain: must be exactly one domain');
    const { domain } = data;
    if (!/^[a-z0-9.-]{1,253}$/.test(domain)) throw new ApiError('not_found');
    const isOurs = domain === deps.config.publicUrl.hostname;
    if (!isOurs && !(await deps.findVisitedSite(domain))?.named) throw new ApiError('not_found');
    return { domain };
  });
}
