import { TRPCError } from '@trpc/server';
import { getHTTPStatusCodeFromError, getStatusKeyFromCode } from '@trpc/server/unstable-core-do-not-import';
import { z } from 'zod';
import { cutText } from '../../shared/contract/cut-text.ts';
import { type ErrorCode, errors, type FieldError } from '../../shared/contract/errors.ts';
import type { FactorChallenge } from '../../shared/contract/features/factors.ts';
import type { SiteChoice } from '../../shared/contract/features/session.ts';
import { unknownField } from '../../shared/contract/validation-messages.ts';
import { type Trouble, troubleOf } from '../../shared/db/troubles.ts';
import { isMediaAway, isOutOfRoom } from '../../shared/media/store.ts';

/** What an error tells besides its code and message. */
interface ErrorDetails extends Partial<FactorChallenge> {
  /** What is wrong, field by field; on `validation_failed`. */
  fields?: readonly FieldError[];
  /** Of which one has to be named; on `site_required`. */
  sites?: readonly SiteChoice[];
}

interface ApiErrorOptions extends ErrorDetails {
  cause?: unknown;
  retryAfter?: number;
  /** Those that the caller would need; on `insufficient_scope`, unless the plan is what lacks. */
  scopes?: readonly string[];
  keepsWrites?: boolean;
}

/** The only error that is answered as it is: a row of the table in `shared/contract/errors.ts`. */
export class ApiError extends TRPCError {
  readonly errorCode: ErrorCode;
  readonly status: number;
  /** Seconds after which a retry may pass; set on `rate_limited` and on troubles of the database. */
  readonly retryAfter: number | undefined;
  readonly details: ErrorDetails;
  /** How to come by another credential, for who can sign in: parameters of the challenge. */
  signIn?: Readonly<Record<string, string>>;
  /** Whether what was written before it stays: a refusal that counts. */
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

  /** The one body that every error on `/api` has. */
  get body() {
    return { error: { code: this.errorCode, message: this.message, ...this.details } };
  }

  /** `WWW-Authenticate` (RFC 9110, 15.5.2, and RFC 6750, 3); undefined for errors that no other credential mends. */
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

/** The field that a message of ours begins with: `slug: already taken`. */
function namedField(message: string): FieldError {
  const [, path = '', what = message] = /^(\w+): (.+)$/s.exec(message) ?? [];
  return { path, message: what };
}

/** The record, or the answer that there is none. Throws `not_found`. */
export function found<T>(record: T | null | undefined): T {
  if (record === null || record === undefined) throw new ApiError('not_found');
  return record;
}

/**
 * What a caller is told of any failure. An `ApiError` is told as it is; the cause of anything else goes to the log only.
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
  return fromHttpStatus(getHTTPStatusCodeFromError(error), error);
}

/** Refusals of Fastify and tRPC, by their status; without one it is our fault. 405 is of a procedure called in another way: there is none. */
function fromHttpStatus(status: number, cause: unknown): ApiError {
  if (status === 413) return new ApiError('payload_too_large');
  if (status === 404 || status === 405) return new ApiError('not_found');
  if (status >= 400 && status < 500) return new ApiError('invalid_request');
  return fromFailure(cause);
}

/** Something failed on our side. */
function fromFailure(cause: unknown): ApiError {
  // Before those of the database, which are known by the errors of a network, too.
  if (isMediaAway(cause)) return new ApiError('media_unavailable', undefined, { cause, retryAfter: 5 });
  if (isOutOfRoom(cause)) return new ApiError('insufficient_storage', undefined, { cause, retryAfter: 60 });
  const trouble = troubleOf(cause);
  if (!trouble) return new ApiError('internal_error', undefined, { cause });
  const [code, retryAfter] = answers[trouble];
  return new ApiError(code, undefined, { cause, retryAfter });
}

/** What callers are told of each trouble of the database, and after how many seconds they may try again. */
const answers = {
  busy: ['database_busy', 1],
  away: ['database_unavailable', 2],
  read_only: ['writes_paused', 10],
  full: ['writes_paused', 10],
} as const satisfies Record<Trouble, [ErrorCode, seconds: number]>;

/** The database has no time, and the same request may be sent again. */
export const databaseBusy = (cause?: unknown) =>
  new ApiError('database_busy', undefined, { cause, retryAfter: 1 });

const statusOf = (error: unknown) =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : 500;

/** Most issues that a message names, most that `fields` has, and the most characters of a path. */
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

/** An issue by the field it is about; one about unlisted fields by each of them. */
function fieldErrors(issue: z.core.$ZodIssue): FieldError[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: pathOf(issue.path), message: issue.message }];
  return issue.keys.map((key) => ({ path: pathOf([...issue.path, key]), message: unknownField }));
}

const pathOf = (path: readonly PropertyKey[]) => cutText(path.map(String).join('.'), pathLength);
