import { type ErrorCode, isApiError } from '../../sdk/index.ts';
import { inAWhile } from './moments.ts';
import { texts } from './texts.ts';

/** A service that is newer than this panel may know errors that it has no words for. */
const byCode: Partial<Record<string, string>> = texts.errors.byCode;

/** Thrown by what is not even sent, for what the service would have said to it. */
export class NotSent extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode) {
    super(code);
    this.code = code;
  }
}

/** Thrown where a request brought no answer. */
export class UnansweredError extends Error {
  override readonly name = 'NoAnswer';
}

/** Whether a request brought no answer of the service: the client throws such errors by these names. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'NoAnswer' || error.name === 'TimeoutError' || isUnanswered(error.cause));

/** What the service said, or would have said, against something; undefined where it is another failure. */
export function codeOf(error: unknown): string | undefined {
  if (error instanceof NotSent) return error.code;
  return isApiError(error) ? error.data.code : undefined;
}

/** What a person is told of a failure. */
export function wordsFor(error: unknown): string {
  const code = codeOf(error);
  if (code === 'rate_limited' && isApiError(error) && error.data.retryAfter)
    return texts.errors.limitedFor(inAWhile(error.data.retryAfter));
  if (code !== undefined) return wordsForCode(code);
  return isUnanswered(error) ? texts.errors.offline : texts.errors.unknown;
}

/** The same by the code alone. */
export const wordsForCode = (code: string): string => byCode[code] ?? texts.errors.unknown;
