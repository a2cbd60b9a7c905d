import { isApiError } from './api-error.ts';
import { NoAnswer } from './json-fetch.ts';

/** Reason to retry a call, with the minimum delay in seconds. */
export interface AttemptInfo {
  /** True if a rate limit refused the call; false if it failed on the way. */
  isRefusal: boolean;
  seconds: number;
}

/** Returns the reason to retry a failed call; null if a retry would not help. */
export function occasionToRepeat(error: unknown): AttemptInfo | null {
  const { status, code, retryAfter } = factsOf(error);
  if (status === 429) return { isRefusal: true, seconds: retryAfter ?? 1 };
  if (code !== undefined && untilSetUp.has(code)) return null;
  return passing.has(status) ? { isRefusal: false, seconds: retryAfter ?? 0 } : null;
}

/** Codes of errors that last until the operator configures the service. */
const untilSetUp: ReadonlySet<string> = new Set(['webhooks_not_provisioned', 'mail_not_configured']);

/** Statuses of temporary failures: a server that restarts, or a proxy in front of it. */
const passing: ReadonlySet<Facts['status']> = new Set(['lost', 502, 503, 504]);

interface Facts {
  status?: NoAnswer['status'];
  code?: string;
  retryAfter?: number | undefined;
}

function factsOf(error: unknown): Facts {
  if (isApiError(error)) return { ...error.data, status: error.data.httpStatus };
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof NoAnswer) return cause;
  return isTimeout(error) ? { status: 'lost' } : {};
}

/** True for the error of an attempt without an answer in time. */
const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';
