import { isApiError } from './api-error.ts';
import { NoAnswer } from './json-fetch.ts';

/** What a call is made again for, and in how many seconds at the earliest. */
export interface Occasion {
  /** Whether a limit refused it; otherwise something on the way failed. */
  isRefusal: boolean;
  seconds: number;
}

/** Why a call that failed may be made again; null when that could not help. */
export function occasionToRepeat(error: unknown): Occasion | null {
  const { status, code, retryAfter } = factsOf(error);
  if (status === 429) return { isRefusal: true, seconds: retryAfter ?? 1 };
  if (code !== undefined && untilSetUp.has(code)) return null;
  return passing.has(status) ? { isRefusal: false, seconds: retryAfter ?? 0 } : null;
}

/** What stays so until somebody sets the service up. */
const untilSetUp: ReadonlySet<string> = new Set(['webhooks_not_provisioned', 'mail_not_configured']);

/** What may pass by itself: a server that restarts, and whatever stands before it. */
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

/** What an attempt ends with that got no answer in time. */
const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';
