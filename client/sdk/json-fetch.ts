import type { HTTPBatchLinkOptions } from '@trpc/client';
import { isApiError } from './api-error.ts';
import { isObject } from './is-object.ts';

/** Thrown if a request gets no complete answer of the service: no answer, a part of one, or one of a proxy. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
  /** HTTP status; `lost` if no complete answer arrived. */
  readonly status: number | 'lost';
  /** Seconds until a retry may succeed, if the answer states them. */
  readonly retryAfter: number | undefined;

  /** `source` is the answer that is not the service's, or the address that did not answer. */
  constructor(source: Response | string | URL, cause?: unknown) {
    const isLost = typeof source === 'string' || source instanceof URL;
    const at = String(isLost ? source : source.url).replace(/\/trpc(\/.*)?$/s, '');
    if (isLost) {
      super(`no answer from ${at}: ${reasonOf(cause)}`, { cause });
      this.status = 'lost';
      return;
    }
    const { status, ok, headers } = source;
    super(`the answer${at && ` of ${at}`} is not one of the service (HTTP status ${status})`, { cause });
    // A successful JSON answer that cannot be parsed is an incomplete one of the service.
    this.status = ok && isJson(headers) ? 'lost' : status;
    this.retryAfter = Number(headers.get('retry-after')) || undefined;
  }
}

/**
 * Returns the first cause. Node reports "fetch failed" for a refused connection or an unknown certificate, with the reason
 * in its cause.
 */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the connection failed';
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/** Answer to a request, for one call or a batch. */
export class JsonAnswer {
  readonly ok: boolean;
  readonly headers: Headers;
  readonly #value: unknown;

  constructor({ ok, headers }: Response, value: unknown) {
    this.ok = ok;
    this.headers = headers;
    this.#value = value;
  }

  async json(): Promise<unknown> {
    return this.#value;
  }
}

/**
 * Creates a `fetch` for tRPC that returns only complete answers of the service, and passes their headers to
 * `onAnswer`. Otherwise it throws `NoAnswer` with the status, which determines if a call may be retried. After an
 * abort, it throws the error of `send`. tRPC alone would drop the status of an answer that it cannot read.
 */
export function jsonFetch(send: typeof fetch, onAnswer: (headers: Headers) => void): TrpcFetch {
  return async (url, init) => {
    const { method, headers, body, signal } = init ?? {};
    const request = {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    };
    const { response, text } = await receive(send, url, request).catch((cause: unknown) => {
      throw signal?.aborted ? cause : new NoAnswer(String(url), cause);
    });
    const value = parse(text, response);
    onAnswer(response.headers);
    return new JsonAnswer(response, value);
  };
}

async function receive(send: typeof fetch, ...request: Parameters<typeof fetch>) {
  const response = await send(...request);
  return { response, text: await response.text() };
}

type TrpcFetch = NonNullable<HTTPBatchLinkOptions<never>['fetch']>;

/** Parses an answer. Throws `NoAnswer` if it is not the service's. */
export function parse(text: string, response: Response): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NoAnswer(response, cause);
  }
  // Gateways return JSON errors of their own.
  if (!response.ok && !isServiceError(value)) throw new NoAnswer(response);
  return value;
}

/** Adds the request's ID in the service's log to an error of the service. */
export function withRequestId<E>(error: E, headers: Headers): E {
  const requestId = headers.get('x-request-id');
  if (requestId && isApiError(error)) Object.assign(error.data, { requestId });
  return error;
}

const isServiceError = (value: unknown) =>
  Array.isArray(value) ||
  (isObject(value) && 'error' in value && isObject(value.error) && 'json' in value.error);

const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') ?? false;
