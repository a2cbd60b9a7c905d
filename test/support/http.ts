import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ErrorCode, errors } from '../../shared/contract/errors.ts';

export interface CallOptions {
  /** API key or session token for `Authorization: Bearer`. */
  key?: string;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** What tests compare: a whole answer. Headers are kept apart so that `toEqual` looks at status and body. */
export interface Answer {
  status: number;
  body: unknown;
}

/** Calls a server over real HTTP. */
export function createCaller(baseUrl: string) {
  return async (method: string, path: string, { key, body, headers = {} }: CallOptions = {}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer: Answer = { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
    return Object.defineProperty(answer, 'headers', {
      value: response.headers,
      enumerable: false,
    }) as Answer & {
      headers: Headers;
    };
  };
}

/** Calls a server under another name: `fetch` doesn't let its callers choose the `Host` header. */
export async function callAtHost(
  baseUrl: string,
  { host, method, path }: { host: string; method: string; path: string },
  { key, body }: CallOptions = {},
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const headers = {
    host,
    ...(key ? { authorization: `Bearer ${key}` } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const call = request(baseUrl + path, { method, headers }, async (response) => {
    resolve({ status: response.statusCode ?? 0, body: JSON.parse(await text(response)) });
  });
  call.on('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

/** The whole answer of an error with its usual message, or with another. */
export function failure(status: number, code: ErrorCode, message: unknown = errors[code].message): Answer {
  return { status, body: { error: { code, message } } };
}
