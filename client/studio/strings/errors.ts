import { type ErrorCode, isApiError } from '../../sdk/index.ts';
import { inAWhile } from './time-format.ts';
import { strings } from './ui-strings.ts';

/** Messages by error code. A service that is newer than this page may use codes without a message. */
const byCode: Partial<Record<string, string>> = strings.errors.byCode;

/** Thrown for a request that is not sent, with the code that the service would return. */
export class NotSent extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** Thrown if a request gets no answer. */
export class UnansweredError extends Error {
  override readonly name = 'NoAnswer';
}

/** True if a request got no answer of the service. The client's errors have these names. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'NoAnswer' || error.name === 'TimeoutError' || isUnanswered(error.cause));

/** Returns the service's error code, also of requests that were not sent; undefined for other failures. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof NotSent) return error.code;
  return isApiError(error) ? error.data.code : undefined;
}

export function messageFor(error: unknown): string {
  const code = codeOf(error);
  if (code === 'rate_limited' && isApiError(error) && error.data.retryAfter)
    return strings.errors.limitedFor(inAWhile(error.data.retryAfter));
  if (code !== undefined) return messageForCode(code);
  return isUnanswered(error) ? strings.errors.offline : strings.errors.unknown;
}

export const messageForCode = (code: string): string => byCode[code] ?? strings.errors.unknown;
