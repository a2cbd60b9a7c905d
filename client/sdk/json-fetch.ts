import type { HTTPBatchLinkOptions } from '@trpc/client';

/** An answer that is no JSON, such as a proxy's page. */
export class UnreadableAnswer extends Error {
  override readonly name: string = 'UnreadableAnswer';
  readonly status: number;
  /** Seconds, where the answer says so. */
  readonly retryAfter: number | undefined;

  constructor({ status, headers }: Response, cause: unknown) {
    super(`the answer is no JSON (HTTP status ${status})`, { cause });
    this.status = status;
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
 * Gives tRPC whole answers only. Left to itself it forgets the status of one that it can't read, which decides whether
 * a call may be repeated. A connection that fails or breaks off rejects with fetch's own TypeError.
 */
export function jsonFetch(send: typeof fetch): TrpcFetch {
  return async (url, init) => {
    const { method, headers, body, signal } = init ?? {};
    const response = await send(url, {
      ...(method !== undefined && { method }),
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    const text = await response.text();
    return new Answer(response, parse(text, response));
  };
}

type TrpcFetch = NonNullable<HTTPBatchLinkOptions<never>['fetch']>;

function parse(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnreadableAnswer(response, cause);
  }
}
