import { startApp, type TestApp } from './app.ts';
import { failure } from './http.ts';

/** With the usual limits, for requests from anywhere: it trusts the proxy on this machine. */
export const startLimited = () => startApp({ limits: {}, config: { trustProxy: ['127.0.0.0/8'] } });

/** From a client with this address. */
export const from = (address: string) => ({ 'x-forwarded-for': address });

export const refused = failure(429, 'rate_limited');

/** What the limit headers of a reply say. */
export const limitOf = ({ headers }: { headers: Headers }) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
  reset: headers.get('x-ratelimit-reset'),
});

/** What the limit headers say of a moment so many seconds from now. */
export const resetAfter = (app: TestApp, seconds: number) =>
  String(Math.ceil(app.clock.now().getTime() / 1_000 + seconds));
