import {
  createTRPCClientProxy,
  createTRPCUntypedClient,
  httpBatchLink,
  httpLink,
  splitLink,
  type TRPCLink,
} from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { tap } from '@trpc/server/observable';
import { maxBatchCalls } from '../../shared/contract/limits.ts';
import type { ApiClient } from './api-client.ts';
import { withOptions } from './call-context.ts';
import type { ClientOptions } from './client-options.ts';
import { keepEtag } from './etag.ts';
import { isObject } from './is-object.ts';
import { JsonAnswer, jsonFetch } from './json-fetch.ts';
import { type Quota, quotaIn } from './quota.ts';
import { repeatLink } from './repeat-link.ts';
import { subscriptionLink } from './subscription-link.ts';
import type { Time } from './time.ts';
import { values } from './values.ts';

/** Maximum length of a URL. Common proxies accept request lines of 8 KiB, which include method and version. */
const maxUrlLength = 8_000;

/** Creates a client with the given clock and timers; tests pass their own. */
export function createTimedClient(options: ClientOptions, time: Time): ApiClient {
  const { baseUrl, fetch, retries = 5, timeoutMs = 60_000, waitsForLimits = true, ...credentials } = options;
  let quota: Quota | undefined;
  // Look up the global `fetch` for each request, so that a later replacement is used.
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
      eventTimesLink,
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: subscriptionLink({ url: shared.url, headers, fetch: send, retries }, time),
        false: [
          etagLink,
          repeatLink({ retries, timeoutMs, waitsForLimits }, time),
          splitLink({
            condition: ({ context }) => context.alone === true,
            true: httpLink({ ...shared, headers: ({ op }) => ({ ...headers, ...op.context.headers }) }),
            false: httpBatchLink({ ...shared, headers, maxItems: maxBatchCalls, maxURLLength: maxUrlLength }),
          }),
        ],
      }),
    ],
  });
  const procedures = createTRPCClientProxy<AnyRouter>(withOptions(calls));
  return new Proxy(procedures, {
    get: (_, name) => (name === 'quota' ? quota : Reflect.get(procedures, name)),
    // The client is a proxy that accepts any path; ApiClient lists the existing ones.
  }) as unknown as ApiClient;
}

/** Returns the URL of the RPC endpoint. Throws a TypeError that names the setting, because "Invalid URL" alone does not. */
function rpcUrl(baseUrl: string | URL): URL {
  try {
    return new URL('trpc', String(baseUrl).replace(/\/*$/, '/'));
  } catch (cause) {
    throw new TypeError(`baseUrl must be an address such as https://ada.example.com, not "${baseUrl}"`, {
      cause,
    });
  }
}

type Credentials = Pick<
  ClientOptions,
  'apiKey' | 'ownerToken' | 'memberToken' | 'previewToken' | 'dangerouslyAllowBrowser'
>;

/** Returns the headers of every request. Throws a TypeError for unusable credentials. */
function headersFor(credentials: Credentials): Record<string, string> {
  const { apiKey, ownerToken, memberToken, previewToken, dangerouslyAllowBrowser } = credentials;
  if (apiKey && ownerToken) throw new TypeError('createClient takes an apiKey or an ownerToken, not both');
  if (apiKey && isBrowser() && !dangerouslyAllowBrowser) {
    throw new TypeError(
      'an API key in a browser can be read by everyone who opens the page. Call the service from a server, or, if everyone ' +
        'who can open the page may know the key, set dangerouslyAllowBrowser: true',
    );
  }
  const bearer = apiKey || ownerToken;
  const headers = {
    ...(bearer && { Authorization: `Bearer ${bearer}` }),
    ...(memberToken && { 'X-Member-Token': memberToken }),
    ...(previewToken && { 'X-Preview-Token': previewToken }),
  };
  // Reject values that are not valid in a header here, instead of in every call.
  new Headers(headers);
  return headers;
}

/** True in a page or a web worker; servers and edge runtimes have neither global. */
const isBrowser = () => 'document' in globalThis || 'importScripts' in globalThis;

/**
 * Stores a record's entity tag for `etagOf`, only for calls with a request of their own. Otherwise the tag would depend on
 * the other calls in the batch.
 */
const etagLink: TRPCLink<AnyRouter> =
  () =>
  ({ op, next }) =>
    next(op).pipe(
      tap({
        next({ result, context }) {
          const answer = context?.response;
          const tag = op.context.alone && answer instanceof JsonAnswer && answer.headers.get('etag');
          if (tag && 'data' in result && isObject(result.data)) keepEtag(result.data, tag);
        },
      }),
    );

/** Converts the timestamps of events to Dates. The log stores events as they are delivered, with text. */
const eventTimesLink: TRPCLink<AnyRouter> =
  () =>
  ({ op, next }) =>
    op.path === 'v1.events.poll' || op.path === 'v1.events.follow'
      ? next(op).pipe(tap({ next: ({ result }) => readTimes(result) }))
      : next(op);

function readTimes(result: object) {
  if (!('data' in result)) return;
  const events = isLog(result.data) ? result.data.events : isFollowed(result.data) ? [result.data.data] : [];
  for (const event of events) {
    if (typeof event.timestamp === 'string') event.timestamp = new Date(event.timestamp);
  }
}

interface WithTime {
  timestamp: unknown;
}

const isLog = (data: unknown): data is { events: WithTime[] } =>
  isObject(data) && 'events' in data && Array.isArray(data.events);

const isFollowed = (data: unknown): data is { data: WithTime } => isObject(data) && 'data' in data;
