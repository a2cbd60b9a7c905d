import type { ApiClient } from './api-client.ts';
import type { ClientOptions } from './client-options.ts';
import { realTime } from './time.ts';
import { createTimedClient } from './timed-client.ts';

/**
 * A typed client of one site. Reads that are called together travel together, in as few requests as fit; each write
 * travels alone, so that large bodies never add up. Throws a TypeError for a `baseUrl` that is no URL, and for a
 * credential that no header can hold.
 */
export function createClient(options: ClientOptions): ApiClient {
  return createTimedClient(options, realTime);
}
