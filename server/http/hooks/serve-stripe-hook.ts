import type { FastifyError, FastifyInstance, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { paymentHookLimits as limits } from '../../../shared/contract/features/payments.ts';
import { findHook, wakePayments } from '../../../shared/selling/connection.ts';
import { isSignedByStripe } from '../../../shared/selling/stripe.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { count } from '../../api/limits/count.ts';
import { bucketRule } from '../../api/limits/rules.ts';

/**
 * Serves the webhooks of Stripe. A webhook with a valid signature only makes the next pass of its site due, so its content does not
 * matter. Refused webhooks count in the tier `normal` by client address.
 */
export function serveStripeHook(app: FastifyInstance, deps: Deps) {
  // The signature is that of the raw body, whatever its declared type.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: limits.bytes }, (_request, body, done) =>
    done(null, body),
  );
  const countOf = countPerConnection(deps);
  const errorHandler = async (error: FastifyError, request: FastifyRequest) => {
    await count(deps.limiter, request.decisions, { tier: 'normal', subject: request.client });
    throw error;
  };
  app.post<{ Params: { connection: string } }>(
    '/hooks/stripe/:connection',
    { errorHandler },
    async ({ params: { connection }, headers, body }, reply) => {
      const { site_id, secret } = found(isConnectionId(connection) ? await findHook(deps, connection) : null);
      countOf(connection);
      const signature = headers['stripe-signature'];
      const now = deps.clock.now();
      const isSigned =
        Buffer.isBuffer(body) &&
        typeof signature === 'string' &&
        (await isSignedByStripe(body, { signature, secret, now }));
      if (!isSigned) throw new ApiError('invalid_request', 'Stripe-Signature: wrong or too old');
      await wakePayments(deps.database.em.fork(), site_id, now);
      return reply.header('Cache-Control', 'no-store').send({});
    },
  );
}

const isConnectionId = (text: string) => /^[A-Za-z0-9]{22}$/.test(text);

/** Counts the webhooks of each connection in this process. The result throws `rate_limited`. */
function countPerConnection({ clock }: Deps) {
  const rule = bucketRule({ perMinute: 60 * limits.perSecond, burst: limits.perSecond });
  const states = new LRUCache<string, number>({ max: 10_000 });
  return (connection: string) => {
    const { verdict, state } = rule.take(states.get(connection) ?? rule.empty, clock.sinceStart());
    states.set(connection, state);
    if (!verdict.allowed)
      throw new ApiError('rate_limited', undefined, { retryAfter: Math.ceil(verdict.passesInMs / 1_000) });
  };
}
