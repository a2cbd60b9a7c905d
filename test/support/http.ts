import { type Dispatcher, request } from 'undici';
import { expect } from 'vitest';
import { type ErrorCode, errors } from '../../shared/contract/errors.ts';

export interface CallOptions {
  /** API key or session token for `Authorization: Bearer`. */
  key?: string;
  /** Body; sent as JSON, except text and bytes. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Signal that aborts the call. */
  signal?: AbortSignal;
}

/** Answer, as tests compare it. Its headers are not enumerable, so that `toEqual` compares only status and body. */
export interface Answer {
  status: number;
  body: unknown;
}

/**
 * Returns a function that calls a server over HTTP. `fetch` cannot be used, because it does not allow setting Host or
 * Origin.
 */
export function createCaller(baseUrl: string, dispatcher?: Dispatcher) {
  return async (method: string, path: string, { key, body, headers = {}, signal }: CallOptions = {}) => {
    const response = await request(baseUrl + path, {
      method: method as Dispatcher.HttpMethod,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(signal && { signal }),
      ...(dispatcher && { dispatcher }),
      body: isPlain(body) ? body : body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    const answer: Answer = { status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) };
    return Object.defineProperty(answer, 'headers', {
      value: headersOf(response.headers),
      enumerable: false,
    }) as Answer & {
      headers: Headers;
    };
  };
}

const isPlain = (body: unknown): body is string | Buffer => typeof body === 'string' || Buffer.isBuffer(body);

const headersOf = (raw: Dispatcher.ResponseData['headers']) =>
  new Headers(
    Object.entries(raw).flatMap(([name, values]) =>
      [values ?? []].flat().map((value) => [name, value] as [string, string]),
    ),
  );

/** Returns the expected answer of an error, with its usual message or another one. */
export function failure(status: number, code: ErrorCode, message: unknown = usualMessage(code)): Answer {
  const fields = code === 'validation_failed' ? { fields: expect.any(Array) } : {};
  return { status, body: { error: { code, message, ...fields } } };
}

/** Returns the message of an error. That of a missing scope always names the scope. */
const usualMessage = (code: ErrorCode) =>
  code === 'insufficient_scope'
    ? expect.stringMatching(/^insufficient scope: required \S+; the API key has \S+/)
    : errors[code].message;

/** Returns the code of an error over REST or RPC; undefined if there is none. */
export function codeOf(body: unknown): string | undefined {
  const { error } = body as { error?: { code?: string; json?: { data: { code: string } } } };
  return error?.json?.data.code ?? error?.code;
}
