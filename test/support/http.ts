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

/** The whole answer of an error with its usual message, or with another. */
export function failure(status: number, code: ErrorCode, message: unknown = errors[code].message): Answer {
  return { status, body: { error: { code, message } } };
}
