import type { ApiClient } from './api-client.ts';
import type { ClientOptions } from './client-options.ts';
import { realTime } from './time.ts';
import { createTimedClient } from './timed-client.ts';

/**
 * A typed client of one site. Reads that are called together travel together, in as few requests as fit; each write
 * travels alone, under an idempotency key of its own. Calls that are refused or get lost are made again, see `retries`.
 * Throws a TypeError for a `baseUrl` that is no URL, for a credential that no header can hold, and for an API key in a
 * browser, see `dangerouslyAllowBrowser`.
 */
export function createClient(options: ClientOptions): ApiClient {
  return createTimedClient(options, realTime);
}
