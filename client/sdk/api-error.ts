import type { ErrorCode, FactorChallenge, FieldError, SiteChoice } from './contract.ts';
import { isObject } from './is-object.ts';

/** An error returned by the service. Its `message` is for people and may change; switch on `data.code`. */
export interface ApiError extends Error {
  readonly data: ApiErrorData;
}

export interface ApiErrorData {
  /** Stable. The set is open: for a code you don't know, fall back to `httpStatus`. */
  readonly code: ErrorCode | UnknownCode;
  readonly httpStatus: number;
  /** Procedure that failed, such as `v1.posts.create`; missing if the error belongs to no procedure. */
  readonly path?: string;
  /** Seconds until a retry may succeed; set for `rate_limited` and status 503. */
  readonly retryAfter?: number;
  /** Each rule that the input breaks; set for `validation_failed`. */
  readonly fields?: readonly FieldError[];
  /** The sites to choose from; set for `site_required`. */
  readonly sites?: readonly SiteChoice[];
  /** Token to send with the second factor; set for `second_factor_required`. */
  readonly challenge?: FactorChallenge['challenge'];
  /** Second factors that the user has; set for `second_factor_required`. */
  readonly factors?: FactorChallenge['factors'];
  /** Argument for `navigator.credentials.get`, if one of the factors is a passkey. */
  readonly options?: FactorChallenge['options'];
  /** ID of the request in the service's log: give it to the service's operator. */
  readonly requestId?: string;
}

/** Any string, in a form that keeps the known codes in an editor's suggestions. */
type UnknownCode = string & Record<never, never>;

/** True for an error returned by the service; false for a failed connection, an aborted call and everything else. */
export function isApiError(error: unknown): error is ApiError {
  return error instanceof Error && 'data' in error && isErrorData(error.data);
}

const isErrorData = (data: unknown): data is ApiErrorData =>
  isObject(data) &&
  'code' in data &&
  typeof data.code === 'string' &&
  'httpStatus' in data &&
  typeof data.httpStatus === 'number';
