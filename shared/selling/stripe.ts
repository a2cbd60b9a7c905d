import type { Stripe } from 'stripe';
import { paymentHookLimits } from '../contract/features/payments.ts';

/** Timeouts of one call to Stripe, body included, in milliseconds. A request of a buyer waits for the server's calls. */
export const stripeTimeouts = { server: 8_000, worker: 10_000 } as const;

/**
 * Client of one site's Stripe account, with the API version of the package. `signal` ends its calls. Loads the package on first use.
 */
export async function stripeClient(
  key: string,
  { apiBase, timeoutMs, signal }: { apiBase: URL; timeoutMs: number; signal?: AbortSignal | undefined },
): Promise<Stripe> {
  const { Stripe: Client } = await import('stripe');
  return new Client(key, {
    host: apiBase.hostname,
    ...(apiBase.port && { port: apiBase.port }),
    protocol: apiBase.protocol === 'http:' ? 'http' : 'https',
    timeout: timeoutMs,
    telemetry: false,
    maxNetworkRetries: 0,
    // The client of Node's http module restarts its timeout with each chunk.
    httpClient: Client.createFetchHttpClient(signal && endedBy(signal)),
  });
}

/** `fetch` whose requests a signal ends, with their bodies. */
const endedBy =
  (signal: AbortSignal): typeof fetch =>
  (input, init) =>
    fetch(input, { ...init, signal: init?.signal ? AbortSignal.any([init.signal, signal]) : signal });

/** Failed call. Its message contains no key. Neither does `cause`, which is for the log and has Stripe's status and code. */
export type StripeFailure = { message: string; cause: Error } & (
  | /** Stripe refused the request as invalid. `code` is Stripe's, such as `resource_missing`; null if it has none. */
  { kind: 'refused'; code: string | null }
  /** Stripe refused the key: it is revoked, or lacks a permission. */
  | { kind: 'unauthorized' }
  /** Stripe did not answer, or asks to try again after `retryAfter` seconds. */
  | { kind: 'unavailable'; retryAfter: number }
);

const defaultRetryAfter = 30;

/** Classifies a failed call. Throws the error if it did not come from the package. */
export function stripeFailure(error: unknown): StripeFailure {
  if (!isStripeError(error)) throw error;
  const { statusCode: status = 0, code = null, headers } = error;
  const message = withoutKeys(error.message);
  // Stripe's own error contains the whole answer, which may quote keys.
  const cause = Object.assign(new Error(message), { statusCode: status, code });
  if (status === 401 || status === 403) return { kind: 'unauthorized', message, cause };
  const isRefusal =
    status >= 400 && status < 500 && status !== 409 && status !== 429 && code !== 'rate_limit';
  if (isRefusal) return { kind: 'refused', message, cause, code };
  const seconds = Number(headers?.['retry-after']);
  const retryAfter = seconds > 0 ? Math.ceil(seconds) : defaultRetryAfter;
  return { kind: 'unavailable', message, cause, retryAfter };
}

const isStripeError = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Error && 'type' in error && `${error.type}`.startsWith('Stripe');

/** Removes keys and secrets, also shortened ones as Stripe quotes them, and references to portals and customers. */
const withoutKeys = (text: string) => text.replace(/\b(?:rk|sk|pk|whsec|bpc|cus)_[\w*]+/g, '…');

/** Returns true if Stripe signed a webhook with this secret at most `toleranceSeconds` ago. */
export async function isSignedByStripe(
  body: Buffer,
  { signature, secret, now }: { signature: string; secret: string; now: Date },
): Promise<boolean> {
  const { Stripe: Client } = await import('stripe');
  const { toleranceSeconds } = paymentHookLimits;
  try {
    Client.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, now.getTime());
    return true;
  } catch (error) {
    // A body with a valid signature that is not an event throws another error.
    return !(error instanceof Client.errors.StripeSignatureVerificationError);
  }
}
