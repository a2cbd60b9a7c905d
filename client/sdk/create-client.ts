import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import superjson from 'superjson';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import type { ApiClient } from './api-client.ts';

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
}

/** Common proxies take request lines of 8 KiB; this leaves room for the method and the version. */
const longestUrl = 8_000;

/**
 * A typed client of one site. Reads that are called together travel together, in as few requests as fit; each write
 * travels alone, so that large bodies never add up. Throws a TypeError for a `baseUrl` that is no URL.
 */
export function createClient({ baseUrl, fetch, ...credentials }: ClientOptions): ApiClient {
  const url = new URL('trpc', String(baseUrl).replace(/\/*$/, '/'));
  const shared = {
    url,
    transformer: superjson,
    headers: headersFor(credentials),
    // tRPC may pass an undefined signal, which every fetch takes, though its type does not say so.
    ...(fetch && { fetch: fetch as TrpcFetch }),
  };
  const client = createTRPCClient<AnyRouter>({
    links: [
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

type TrpcFetch = NonNullable<Parameters<typeof httpLink>[0]['fetch']>;

type Credentials = Omit<ClientOptions, 'baseUrl' | 'fetch'>;

function headersFor({ apiKey, ownerToken, memberToken }: Credentials): Record<string, string> {
  if (apiKey && ownerToken) throw new TypeError('createClient takes an apiKey or an ownerToken, not both');
  const bearer = apiKey || ownerToken;
  return {
    ...(bearer && { Authorization: `Bearer ${bearer}` }),
    ...(memberToken && { 'X-Member-Token': memberToken }),
  };
}
