import {
  createTRPCClientProxy,
  createTRPCUntypedClient,
  httpBatchLink,
  httpLink,
  splitLink,
} from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import type { ApiClient } from './api-client.ts';
import { withOptions } from './call-context.ts';
import type { ClientOptions } from './client-options.ts';
import { headersFor } from './credentials.ts';
import { etagLink } from './etag-link.ts';
import { eventMomentsLink } from './event-moments.ts';
import { jsonFetch } from './json-fetch.ts';
import { type Quota, quotaIn } from './quota.ts';
import { repeatLink } from './repeat-link.ts';
import { subscriptionLink } from './subscription-link.ts';
import type { Time } from './time.ts';
import { values } from './values.ts';

/** Common proxies take request lines of 8 KiB; this leaves room for the method and the version. */
const longestUrl = 8_000;

/** Makes a client that waits by `time`: tests bring their own. */
export function createTimedClient(options: ClientOptions, time: Time): ApiClient {
  const { baseUrl, fetch, retries = 5, timeoutMs = 60_000, waitsForLimits = true, ...credentials } = options;
  let quota: Quota | undefined;
  // Looked up for each request: what replaces the global one later is used too.
  const send: typeof globalThis.fetch = fetch ?? ((url, init) => globalThis.fetch(url, init));
  const shared = {
    url: rpcUrl(baseUrl),
    transformer: values,
    fetch: jsonFetch(send, (answered) => {
      quota = quotaIn(answered) ?? quota;
    }),
  };
  const headers = headersFor(credentials);
  const calls = createTRPCUntypedClient<AnyRouter>({
    links: [
      eventMomentsLink,
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: subscriptionLink({ url: shared.url, headers, fetch: send, retries }, time),
        false: [
          etagLink,
          repeatLink({ retries, timeoutMs, waitsForLimits }, time),
          splitLink({
            condition: ({ context }) => context.alone === true,
            true: httpLink({ ...shared, headers: ({ op }) => ({ ...headers, ...op.context.headers }) }),
            false: httpBatchLink({ ...shared, headers, maxItems: maxBatchCalls, maxURLLength: longestUrl }),
          }),
        ],
      }),
    ],
  });
  const procedures = createTRPCClientProxy<AnyRouter>(withOptions(calls));
  return new Proxy(procedures, {
    get: (_, name) => (name === 'quota' ? quota : Reflect.get(procedures, name)),
    // The client is a proxy that takes any path; ApiClient names the paths that there are.
  }) as unknown as ApiClient;
}

/** A setting that is missing, or has no `https://`, is named: "Invalid URL" alone leaves the caller to guess which one. */
function rpcUrl(baseUrl: string | URL): URL {
  try {
    return new URL('trpc', String(baseUrl).replace(/\/*$/, '/'));
  } catch (cause) {
    throw new TypeError(`baseUrl must be an address such as https://ada.example.com, not "${baseUrl}"`, {
      cause,
    });
  }
}
