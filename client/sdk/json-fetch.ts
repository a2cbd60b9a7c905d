import type { HTTPBatchLinkOptions } from '@trpc/client';

/** An answer that the service did not write, such as a proxy's page, or not to its end. */
export class UnreadableAnswer extends Error {
  override readonly name: string = 'UnreadableAnswer';
  readonly status: number;
  /** Whether it begins as the service's answers do: the rest of it got lost. */
  readonly isCut: boolean;
  /** Seconds, where the answer says so. */
  readonly retryAfter: number | undefined;

  constructor({ status, ok, headers }: Response, cause?: unknown) {
    super(`the answer is not the service's (HTTP status ${status})`, { cause });
    this.status = status;
    this.isCut = ok && isJson(headers);
    this.retryAfter = Number(headers.get('retry-after')) || undefined;
  }
}

/** What came back for a request: for one call, or for a batch of them. */
export class Answer {
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
 * one that it can't read, which decides whether a call may be repeated. A connection that fails or breaks off rejects
 * with fetch's own TypeError.
 */
export function jsonFetch(send: typeof fetch, onAnswer: (headers: Headers) => void): TrpcFetch {
  return async (url, init) => {
    const { method, headers, body, signal } = init ?? {};
    const response = await send(url, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    const value = parse(await response.text(), response);
    onAnswer(response.headers);
    return new Answer(response, value);
  };
}

type TrpcFetch = NonNullable<HTTPBatchLinkOptions<never>['fetch']>;

function parse(text: string, response: Response): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswer(response, cause);
  }
  // Gateways have errors in JSON of their own.
  if (!response.ok && !isServiceError(value)) throw new UnreadableAnswer(response);
  return value;
}

const isServiceError = (value: unknown) =>
  Array.isArray(value) ||
  (isObject(value) && 'error' in value && isObject(value.error) && 'json' in value.error);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isJson = (headers: Headers) => headers.get('content-type')?.includes('json') ?? false;
