import { TRPCError } from '@trpc/server';
import { getStatusKeyFromCode } from '@trpc/server/unstable-core-do-not-import';
import { z } from 'zod';
import { type ErrorBody, type ErrorCode, errors } from '../../shared/contract/errors.ts';
import { isDatabaseBusy } from '../../shared/db/waits.ts';

/** The only error that is answered as it is: a row of the table in `shared/contract/errors.ts`. */
export class ApiError extends TRPCError {
  readonly errorCode: ErrorCode;
  readonly status: number;
  /** Seconds after which a retry may pass; set on `rate_limited` and `database_busy`. */
  readonly retryAfter: number | undefined;

  constructor(
    errorCode: ErrorCode,
    message?: string,
    options: { cause?: unknown; retryAfter?: number } = {},
  ) {
    const { status, message: usual } = errors[errorCode];
    super({ code: getStatusKeyFromCode(status), message: message ?? usual, cause: options.cause });
    this.errorCode = errorCode;
    this.status = status;
    this.retryAfter = options.retryAfter;
  }

  get body(): ErrorBody {
    return { error: { code: this.errorCode, message: this.message } };
  }
}

/** The record, or the answer that there is none. Throws `not_found`. */
export function found<T>(record: T | null): T {
  if (record === null) throw new ApiError('not_found');
  return record;
}

/**
 * What a caller is told of any failure. Only an `ApiError` speaks for itself; the cause of all else is for the log.
 * `writes` says that the input was a body, whose broken rules are `validation_failed` rather than `invalid_request`.
 */
export function toApiError(error: unknown, writes: boolean): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof TRPCError)
    return error.cause instanceof ApiError ? error.cause : fromRpcError(error, writes);
  return fromHttpStatus(statusOf(error), error);
}

function fromRpcError(error: TRPCError, writes: boolean): ApiError {
  if (error.code === 'BAD_REQUEST' && error.cause instanceof z.core.$ZodError) {
    return fromIssues(error.cause.issues, writes);
  }
  if (error.code === 'INTERNAL_SERVER_ERROR') return fromFailure(error.cause ?? error);
  if (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_SUPPORTED') return new ApiError('not_found');
  if (error.code === 'PAYLOAD_TOO_LARGE') return new ApiError('payload_too_large');
  return new ApiError('invalid_request');
}

/** Fastify's own refusals carry a status; what has none is our fault. */
function fromHttpStatus(status: number, cause: unknown): ApiError {
  if (status === 413) return new ApiError('payload_too_large');
  if (status === 404) return new ApiError('not_found');
  if (status >= 400 && status < 500) return new ApiError('invalid_request');
  return fromFailure(cause);
}

/** Something failed on our side. */
const fromFailure = (cause: unknown) =>
  isDatabaseBusy(cause)
    ? new ApiError('database_busy', undefined, { cause, retryAfter: 1 })
    : new ApiError('internal_error', undefined, { cause });

const statusOf = (error: unknown) =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;

/** Most issues that a message names, and the most characters of each. */
const namedIssues = 10;
const issueLength = 300;

function fromIssues(issues: readonly z.core.$ZodIssue[], writes: boolean): ApiError {
  if (
    issues.some(
      ({ code, ...issue }) => code === 'custom' && 'params' in issue && issue.params?.code === 'not_found',
    )
  ) {
    return new ApiError('not_found');
  }
  const named = issues.slice(0, namedIssues).map(({ path, message }) => {
    const text = path.length > 0 ? `${path.join('.')}: ${message}` : message;
    return text.slice(0, issueLength);
  });
  const more = issues.length > namedIssues ? [`and ${issues.length - namedIssues} more`] : [];
  return new ApiError(writes ? 'validation_failed' : 'invalid_request', [...named, ...more].join('; '));
}
