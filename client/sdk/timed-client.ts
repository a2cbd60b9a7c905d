import { createTRPCClient, httpBatchLink, httpLink, splitLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import superjson from 'superjson';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import type { ApiClient } from './api-client.ts';
import type { ClientOptions } from './client-options.ts';
import { eventMomentsLink } from './event-moments.ts';
import { jsonFetch } from './json-fetch.ts';
import { repeatLink } from './repeat-link.ts';
import type { Time } from './time.ts';

/** Common proxies take request lines of 8 KiB; this leaves room for the method and the version. */
const longestUrl = 8_000;

/** Makes a client that waits by `time`: tests bring their own. */
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
      eventMomentsLink,
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
