import type { ApiClient } from './api-client.ts';
import type { ClientOptions } from './client-options.ts';
import { realTime } from './time.ts';
import { createTimedClient } from './timed-client.ts';

/**
 * Creates a typed client of one site. Throws a TypeError for an invalid `baseUrl`, for a credential that is not valid in a
 * header, and for an API key in a browser. `dangerouslyAllowBrowser` allows the latter.
 *
 * Reads that are called together are batched into as few requests as possible. Each write is sent alone, with its own
 * idempotency key. Refused and lost calls are retried, see `retries`.
 */
export function createClient(options: ClientOptions): ApiClient {
  return createTimedClient(options, realTime);
}
