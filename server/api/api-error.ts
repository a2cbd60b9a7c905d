import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError, getStatusKeyFromCode } from '@trpc/server/unstable-core-do-not-import';
import { z } from 'zod';
import { cutText } from '../../shared/contract/cut-text.ts';
import { type ErrorCode, errors, type FieldError } from '../../shared/contract/errors.ts';
import type { FactorChallenge } from '../../shared/contract/features/factors.ts';
import type { SiteChoice } from '../../shared/contract/features/session.ts';
import { unknownField } from '../../shared/contract/validation-messages.ts';
import { classifyDatabaseError, type DatabaseErrorKind } from '../../shared/db/database-errors.ts';
import { isMediaUnavailable, isOutOfRoom } from '../../shared/media/store.ts';

/** Fields of an error body other than its code and message. */
interface ErrorDetails extends Partial<FactorChallenge> {
  /** Broken rules, by field; on `validation_failed`. */
  fields?: readonly FieldError[];
  /** Sites to choose from; on `site_required`. */
  sites?: readonly SiteChoice[];
}

interface ApiErrorOptions extends ErrorDetails {
  cause?: unknown;
  retryAfter?: number;
  /** Scopes that the caller needs; on `insufficient_scope`, unless the site's plan excludes the operation. */
  scopes?: readonly string[];
  keepsWrites?: boolean;
}

/** Error that callers receive unchanged: a row of the table in `shared/contract/errors.ts`. */
export class ApiError extends TRPCError {
  readonly errorCode: ErrorCode;
  readonly status: number;
  /** Seconds after which a retry may succeed. Set on `rate_limited` and on database and media errors. */
  readonly retryAfter: number | undefined;
  readonly details: ErrorDetails;
  /** Challenge parameters that tell clients how to get another credential. */
  signIn?: Readonly<Record<string, string>>;
  /** True if rows written before the error must be committed, such as the count of wrong attempts. */
  readonly keepsWrites: boolean;
  readonly #scopes: readonly string[];

  constructor(errorCode: ErrorCode, message?: string, options: ApiErrorOptions = {}) {
    const { status, message: usual } = errors[errorCode];
    const { cause, retryAfter, scopes = [], keepsWrites = false, ...details } = options;
    super({ code: getStatusKeyFromCode(status), message: message ?? usual, cause });
    this.errorCode = errorCode;
    this.status = status;
    this.retryAfter = retryAfter;
    this.keepsWrites = keepsWrites;
    this.#scopes = scopes;
    this.details =
      errorCode === 'validation_failed' ? { fields: [namedField(this.message)], ...details } : details;
  }

  /** Body of every error on `/api`. */
  get body() {
    return { error: { code: this.errorCode, message: this.message, ...this.details } };
  }

  /**
   * `WWW-Authenticate` header (RFC 9110, 15.5.2, and RFC 6750, 3). Undefined for errors that another credential does
   * not fix.
   */
  get challenge(): string | undefined {
    if (this.status !== 401 && this.errorCode !== 'insufficient_scope') return undefined;
    const parameters = {
      ...(this.status !== 401 && { error: 'insufficient_scope' }),
      ...(this.#scopes.length > 0 && { scope: this.#scopes.join(' ') }),
      ...this.signIn,
    };
    const written = Object.entries(parameters).map(([name, value]) => `${name}="${value}"`);
    return ['Bearer', written.join(', ')].join(' ').trimEnd();
  }
}

/** Reads the field at the beginning of a message of ours, such as `slug: already taken`. */
function namedField(message: string): FieldError {
  const [, path = '', what = message] = /^(\w+): (.+)$/s.exec(message) ?? [];
  return { path, message: what };
}

/** Returns the record. Throws `not_found` if it is null or undefined. */
export function found<T>(record: T | null | undefined): T {
  if (record === null || record === undefined) throw new ApiError('not_found');
  return record;
}

/**
 * Converts any failure to the error that the caller receives. An `ApiError` stays as it is; other causes appear in the
 * log only. If `writes` is true, the input was a body, and broken rules are `validation_failed` instead of
 * `invalid_request`.
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
  return fromHttpStatus(getHTTPStatusCodeFromError(error), error);
}

/**
 * Converts a refusal of Fastify or tRPC by its status. A status outside 4xx is our failure. tRPC's 405 means that the
 * procedure has another type, which is `not_found` here.
 */
function fromHttpStatus(status: number, cause: unknown): ApiError {
  if (status === 413) return new ApiError('payload_too_large');
  if (status === 404 || status === 405) return new ApiError('not_found');
  if (status >= 400 && status < 500) return new ApiError('invalid_request');
  return fromFailure(cause);
}

function fromFailure(cause: unknown): ApiError {
  // Media errors come first, because they can contain network errors that database errors are recognized by.
  if (isMediaUnavailable(cause))
    return new ApiError('media_unavailable', undefined, { cause, retryAfter: 5 });
  if (isOutOfRoom(cause)) return new ApiError('insufficient_storage', undefined, { cause, retryAfter: 60 });
  const errorKind = classifyDatabaseError(cause);
  if (!errorKind) return new ApiError('internal_error', undefined, { cause });
  const [code, retryAfter] = answers[errorKind];
  return new ApiError(code, undefined, { cause, retryAfter });
}

/** Error code and retry delay for each kind of database error. */
const answers = {
  busy: ['database_busy', 1],
  away: ['database_unavailable', 2],
  read_only: ['writes_paused', 10],
  full: ['writes_paused', 10],
} as const satisfies Record<DatabaseErrorKind, [ErrorCode, seconds: number]>;

/** Returns the error `database_busy`, which tells callers to send the same request again after a second. */
export const databaseBusy = (cause?: unknown) =>
  new ApiError('database_busy', undefined, { cause, retryAfter: 1 });

const statusOf = (error: unknown) =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;

/** Maximum number of issues in a message and in `fields`, and maximum length of a path in characters. */
const namedIssues = 10;
const listedIssues = 100;
const pathLength = 100;

function fromIssues(issues: readonly z.core.$ZodIssue[], writes: boolean): ApiError {
  if (
    issues.some(
      ({ code, ...issue }) => code === 'custom' && 'params' in issue && issue.params?.code === 'not_found',
    )
  ) {
    return new ApiError('not_found');
  }
  const all = issues.flatMap(fieldErrors);
  const named = all
    .slice(0, namedIssues)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = all.length > namedIssues ? [`and ${all.length - namedIssues} more`] : [];
  const message = [...named, ...more].join('; ');
  if (!writes) return new ApiError('invalid_request', message);
  return new ApiError('validation_failed', message, { fields: all.slice(0, listedIssues) });
}

/** Converts an issue to errors by field. An issue about unknown fields becomes one error per field. */
function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: unknownField }));
}

const pathOf = (path: readonly PropertyKey[]) => cutText(path.map(String).join('.'), pathLength);
