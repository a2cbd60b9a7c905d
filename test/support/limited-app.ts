import { startApp, type TestApp } from './app.ts';
import { failure } from './http.ts';

/**
 * Starts an app with the usual rate limits. It trusts a proxy on this machine, so requests can come from any address.
 */
export const startLimited = () => startApp({ limits: {}, config: { trustProxy: ['127.0.0.0/8'] } });

/** Headers of a request from a client with this address. */
export const from = (address: string) => ({ 'x-forwarded-for': address });

export const refused = failure(429, 'rate_limited');

/** Returns the rate-limit headers of an answer. */
export const limitOf = ({ headers }: { headers: Headers }) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
});

/** Returns the value of the reset header for a time this many seconds from now. */
export const resetAfter = (app: TestApp, seconds: number) =>
  String(Math.ceil(app.clock.now().getTime() / 1_000 + seconds));
