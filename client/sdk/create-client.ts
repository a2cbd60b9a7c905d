import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import superjson from 'superjson';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import type { ApiClient } from './api-client.ts';
import { jsonFetch } from './json-fetch.ts';
import { repeatLink } from './repeat-link.ts';
import { realTime, type Time } from './time.ts';

export interface ClientOptions {
  /** The site's own origin, such as `https://ada.example.com`. */
  baseUrl: string | URL;
  /** An API key, for `v1` and `v2`. It must never be part of what is shipped to a browser. */
  apiKey?: string | undefined;
  /** An owner's session token, for `admin` and `studio`; in place of an API key. */
  ownerToken?: string | undefined;
  /** A member's token: opens the bodies of posts that this member may read. */
  memberToken?: string | undefined;
  /** Used for every request; the global `fetch` when left out. */
  fetch?: typeof fetch | undefined;
  /**
   * How often a call that was refused or got lost is made again, at most; 5 when left out. Reads are after a rate
   * limit, a busy or restarting server and a broken connection; writes only when the service says that it did nothing.
   */
  retries?: number | undefined;
  /** How long a call takes at most, its repetitions included, in milliseconds; 60,000 when left out. */
  timeoutMs?: number | undefined;
}

/** Common proxies take request lines of 8 KiB; this leaves room for the method and the version. */
const longestUrl = 8_000;

/**
 * A typed client of one site. Reads that are called together travel together, in as few requests as fit; each write
 * travels alone, so that large bodies never add up. Throws a TypeError for a `baseUrl` that is no URL, and for a
 * credential that no header can hold.
 */
export const createClient = (options: ClientOptions): ApiClient => createTimedClient(options, realTime);

/** As `createClient`, for tests that bring their own time. */
export function createTimedClient(options: ClientOptions, time: Time): ApiClient {
  const { baseUrl, fetch, retries = 5, timeoutMs = 60_000, ...credentials } = options;
  const shared = {
    url: new URL('trpc', String(baseUrl).replace(/\/*$/, '/')),
    transformer: superjson,
    headers: headersFor(credentials),
    // Looked up for each request: what replaces the global one later is used too.
    fetch: jsonFetch(fetch ?? ((url, init) => globalThis.fetch(url, init))),
  };
  const client = createTRPCClient<AnyRouter>({
    links: [
      repeatLink({ retries, timeoutMs }, time),
      splitLink({
        condition: ({ type }) => type === 'query',
        true: httpBatchLink({ ...shared, maxItems: maxBatchCalls, maxURLLength: longestUrl }),
        false: httpLink(shared),
      }),
    ],
  });
  // The client is a proxy that takes any path; ApiClient names the paths that there are.
  return client as unknown as ApiClient;
}

type Credentials = Pick<ClientOptions, 'apiKey' | 'ownerToken' | 'memberToken'>;

function headersFor({ apiKey, ownerToken, memberToken }: Credentials): Record<string, string> {
  if (apiKey && ownerToken) throw new TypeError('createClient takes an apiKey or an ownerToken, not both');
  const bearer = apiKey || ownerToken;
  const headers = {
    ...(bearer && { Authorization: `Bearer ${bearer}` }),
    ...(memberToken && { 'X-Member-Token': memberToken }),
  };
  // Refuses what no header can hold here, where it is given, rather than at every call.
  new Headers(headers);
  return headers;
}
