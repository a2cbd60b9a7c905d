import type { ErrorCode, FactorChallenge, FieldError, SiteChoice } from './contract.ts';
import { isObject } from './is-object.ts';

/** An error that the service answered with. Its `message` is for people and may change; switch on `data.code`. */
export interface ApiError extends Error {
  readonly data: ApiErrorData;
}

export interface ApiErrorData {
  /** Stable. The set is open: for a code you don't know, fall back to `httpStatus`. */
  readonly code: ErrorCode | UnknownCode;
  readonly httpStatus: number;
  /** The procedure that failed, such as `v1.posts.create`. */
  readonly path?: string;
  /** Seconds after which a retry may pass; comes with `rate_limited` and with 503. */
  readonly retryAfter?: number;
  /** Each rule that the input breaks; comes with `validation_failed`. */
  readonly fields?: readonly FieldError[];
  /** The sites of which one has to be named; comes with `site_required`. */
  readonly sites?: readonly SiteChoice[];
  /** What the second factor is answered with; comes with `second_factor_required`. */
  readonly challenge?: FactorChallenge['challenge'];
  /** What it may come from. */
  readonly factors?: FactorChallenge['factors'];
  /** For `navigator.credentials.get`, where one of them is a passkey. */
  readonly options?: FactorChallenge['options'];
  /** Names the request in the service's log: give it to whoever runs the service. */
  readonly requestId?: string;
}

/** Any string, without taking the known codes out of an editor's suggestions. */
type UnknownCode = string & Record<never, never>;

/** Whether the service answered with an error; false for a failed connection, an aborted call and everything else. */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'data' in error && isErrorData(error.data);
}

const isErrorData = (data: unknown): data is ApiErrorData =>
  isObject(data) &&
  'code' in data &&
  typeof data.code === 'string' &&
  'httpStatus' in data &&
  typeof data.httpStatus === 'number';
