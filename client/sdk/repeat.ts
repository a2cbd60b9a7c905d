import { isApiError } from './api-error.ts';
import { UnreadableAnswer } from './json-fetch.ts';

/** Why a call that failed may be made again, and in how many seconds at the earliest. */
export interface Occasion {
  /** Whether a limit refused it; otherwise something on the way failed. */
  isRefusal: boolean;
  seconds: number;
}

/**
 * Whether a call may be made again; null when not. A read may wherever that could help. A write may only when the
 * service itself says that it did nothing: behind a broken connection or a gateway's time-out it may have been done.
 */
export function occasionToRepeat(error: unknown, isRead: boolean): Occasion | null {
  const { status, code, retryAfter } = factsOf(error);
  const isOwnRefusal = code === 'rate_limited' || code === 'database_busy';
  if (!isRead && !isOwnRefusal) return null;
  if (status === 429) return { isRefusal: true, seconds: retryAfter ?? 1 };
  return passing.has(status) ? { isRefusal: false, seconds: retryAfter ?? 0 } : null;
}

/** What may pass by itself: a server that restarts, and whatever stands before it. */
const passing: ReadonlySet<Facts['status']> = new Set(['broken', 502, 503, 504]);

interface Facts {
  /** Of HTTP; `broken` for a connection that brought no whole answer. */
  status?: number | 'broken';
  code?: string;
  retryAfter?: number | undefined;
}

function factsOf(error: unknown): Facts {
  if (isApiError(error)) return { ...error.data, status: error.data.httpStatus };
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof UnreadableAnswer) return { status: cause.status, retryAfter: cause.retryAfter };
  return cause instanceof TypeError ? { status: 'broken' } : {};
}
