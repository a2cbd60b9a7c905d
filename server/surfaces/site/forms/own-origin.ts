import type { FastifyRequest } from 'fastify';
import { ApiError } from '../../../kernel/api-error.ts';

/**
 * Throws `origin_not_allowed` for a form that did not come from a page of the same host: browsers say where a form was.
 * The scheme is left aside, since a proxy that ends TLS may not tell it.
 */
export function requireOwnOrigin({ headers }: FastifyRequest) {
  const { origin = '', host = '' } = headers;
  const isOwn = URL.canParse(origin) && new URL(origin).host === host.toLowerCase().replace(/:(80|443)$/, '');
  if (!isOwn) throw new ApiError('origin_not_allowed', 'this form was not sent from a page of this site');
}
