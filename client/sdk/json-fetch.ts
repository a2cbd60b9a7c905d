import type { HTTPBatchLinkOptions } from '@trpc/client';
import { isApiError } from './api-error.ts';
import { isObject } from './is-object.ts';

/** That a request brought no answer of the service: none at all, not the whole of it, or one of whatever is on the way. */
export class NoAnswer extends Error {
  override readonly name: string = 'NoAnswer';
  /** Of HTTP; `lost` where no whole answer came. */
  readonly status: number | 'lost';
  /** Seconds, where the answer says so. */
  readonly retryAfter: number | undefined;

  /** `asked` is an answer that is none, or the address that gave none. */
  constructor(asked: Response | string | URL, cause?: unknown) {
    const isLost = typeof asked === 'string' || asked instanceof URL;
    const at = String(isLost ? asked : asked.url).replace(/\/trpc(\/.*)?$/s, '');
    if (isLost) {
      super(`${at} gave no answer: ${reasonOf(cause)}`, { cause });
      this.status = 'lost';
      return;
    }
    const { status, ok, headers } = asked;
    super(`the answer${at && ` of ${at}`} is not the service's (HTTP status ${status})`, { cause });
    // What begins as the service's answers do is one of them, and the rest of it got lost.
    this.status = ok && isJson(headers) ? 'lost' : status;
    this.retryAfter = Number(headers.get('retry-after')) || undefined;
  }
}

/** What failed first: of "fetch failed", Node says only below it that nobody listens there, or that a certificate is unknown. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'the connection failed';
  if (cause.cause instanceof Error) return reasonOf(cause.cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

/** What came back for a request: for one call, or for a batch of them. */
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
 * Gives tRPC whole answers of the service only, and `onAnswer` their headers. Left to itself it forgets the status of
 * one that it can't read, which decides whether a call may be repeated.
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

/** Throws `NoAnswer`. */
export function parse(text: string, response: Response): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new NoAnswer(response, cause);
  }
  // Gateways have errors in JSON of their own.
  if (!response.ok && !isServiceError(value)) throw new NoAnswer(response);
  return value;
}

/** An error of the service names the request in the service's log. */
export function withRequestId<E>(error: E, headers: Headers): E {
  const requestId = headers.get('x-request-id');
  if (requestId && isApiError(error)) Object.assign(error.data, { requestId });
  return error;
}

const isServiceError = (value: unknown) =>
  Array.isArray(value) ||
  (isObject(value) && 'error' in value && isObject(value.error) && 'json' in value.error);

const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') ?? false;
