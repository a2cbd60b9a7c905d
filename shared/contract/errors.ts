import { following, media } from './limits.ts';
import { keysOf } from './names-of.ts';

/**
 * Every error of the service: its stable code, HTTP status, default message and the operations that can answer it.
 * REST, RPC, MCP, the OpenAPI document and the client all derive from this table.
 */
export const errors = {
  invalid_request: { status: 400, when: 'always', message: 'invalid request' },
  validation_failed: { status: 400, when: 'body', message: 'validation failed' },
  unauthorized: { status: 401, when: 'credential', message: 'missing or invalid Authorization header' },
  key_disabled: { status: 403, when: 'key', message: 'API key is disabled' },
  key_expired: { status: 403, when: 'key', message: 'API key has expired' },
  insufficient_scope: { status: 403, when: 'key', message: 'insufficient scope' },
  origin_not_allowed: { status: 403, when: 'key', message: 'origin not allowed' },
  insufficient_role: { status: 403, message: 'your role on this site does not allow this' },
  second_factor_required: {
    status: 401,
    message: 'a second factor is required: answer `challenge` with POST /api/admin/session/factor',
  },
  proof_required: {
    status: 403,
    when: 'proof',
    message:
      'a second factor given in the last 10 minutes is required: send one with POST /api/admin/session/proof',
  },
  mcp_disabled: { status: 403, message: 'assistant access is switched off for this site' },
  media_full: { status: 403, message: "the media storage of the site's plan is full: delete files first" },
  newsletter_limit: {
    status: 403,
    message: "this mailing would exceed the monthly recipients of the site's plan",
  },
  not_found: { status: 404, when: 'record', message: 'not found' },
  method_not_allowed: { status: 405, message: 'method not allowed: use POST' },
  suppressed: {
    status: 409,
    message:
      'this address unsubscribed, bounced or reported the newsletter as spam, so it cannot be subscribed again',
  },
  site_required: {
    status: 409,
    message: 'your account has access to several sites: send the id of one as `site_id`',
  },
  last_owner: {
    status: 409,
    message: 'a site must have at least one owner: give another person the role `owner` first',
  },
  account_exists: { status: 409, message: 'this email address has an account: sign in with it first' },
  attempt_running: {
    status: 409,
    message: 'an attempt of this delivery is in progress: try again when it has ended',
  },
  replay_running: {
    status: 409,
    message: 'a replay of this webhook is in progress: try again when it has ended',
  },
  already_mailed: {
    status: 409,
    message: 'this post was mailed before: set `again` to true to mail it once more',
  },
  mailing_state: { status: 409, message: 'this is not allowed in the current status of the mailing' },
  transfer_busy: {
    status: 409,
    message: 'a transfer of this site is already running, or too many are running; try again later',
  },
  offer_unavailable: { status: 409, message: 'this offer is not available at the moment' },
  already_entitled: {
    status: 409,
    message: 'this address has access already, or its payment is in progress',
  },
  payment_conflict: {
    status: 409,
    message: 'the payment provider reported this sale with other values: correct it at the provider',
  },
  not_entitled: { status: 403, message: 'the lessons of this course are not open to you' },
  lesson_locked: { status: 409, message: 'this lesson opens when all lessons before it are done' },
  course_not_completed: {
    status: 409,
    message: 'a certificate needs a completed course, and an enrollment that has not ended',
  },
  media_in_use: {
    status: 409,
    message:
      'this file is in use, so `protected` cannot change: remove the file from records and settings first',
  },
  event_expired: { status: 409, message: 'the event is no longer stored, so it cannot be sent again' },
  precondition_failed: {
    status: 412,
    when: 'conditional',
    message: 'the record has changed: its current revision does not match `If-Match`',
  },
  payload_too_large: { status: 413, when: 'body', message: 'request body is too large' },
  unsupported_media_type: {
    status: 415,
    message: 'unsupported file type: send a JPEG, PNG, WebP, AVIF or GIF image, a PDF, audio or video',
  },
  media_damaged: {
    status: 422,
    message:
      'the file is damaged or incomplete: export it again from the program that made it, and upload that file',
  },
  image_too_large: {
    status: 422,
    message: `the image has more than ${media.maxPixels / 1e6} million pixels: upload a smaller one`,
  },
  idempotency_key_reused: {
    status: 422,
    when: 'write',
    message: 'this Idempotency-Key was used for a different request: send a new key',
  },
  provider_refused: { status: 422, message: 'the payment provider refused the request' },
  rate_limited: { status: 429, when: 'always', message: 'too many requests' },
  too_many_followers: {
    status: 429,
    message: `this site already has ${following.perSite} event followers: close one of their connections first`,
  },
  busy: { status: 503, message: 'too many large requests of this site are in progress; try again later' },
  uploads_busy: { status: 503, message: 'too many uploads are in progress; try again later' },
  media_unavailable: { status: 503, message: 'media store unavailable; try again later' },
  payments_not_configured: { status: 503, message: 'this site cannot take payments at the moment' },
  provider_unavailable: { status: 503, message: 'the payment provider is unavailable; try again later' },
  mail_not_configured: {
    status: 503,
    message: 'no mail server is configured for this service, so no emails can be sent',
  },
  insufficient_storage: {
    status: 507,
    message: 'the server has no storage space left; try again later',
  },
  internal_error: { status: 500, when: 'always', message: 'internal error' },
  database_busy: { status: 503, when: 'always', message: 'the database is busy; try again' },
  database_unavailable: {
    status: 503,
    when: 'always',
    message: 'the database is unavailable; try again later',
  },
  writes_paused: {
    status: 503,
    when: 'always',
    message: 'writes are not possible at the moment; try again later',
  },
  webhooks_not_provisioned: { status: 503, message: 'webhook storage is not provisioned' },
} as const satisfies Record<string, ErrorRow>;

export interface ErrorRow {
  status: number;
  /**
   * Group of operations that can return the error. If omitted, only operations can return it that list it in their
   * own declaration.
   */
  when?: ErrorOccasion;
  message: string;
}

/**
 * Group of operations that can return an error.
 *
 * `always`: all operations. `credential`: operations that need any credential. `key`: operations that need an API
 * key. `write`: operations that change data. `body`: operations with a request body. `record`: operations on one
 * record. `conditional`: operations that accept `If-Match`. `proof`: operations that need a recent proof of identity.
 */
export type ErrorOccasion =
  | 'always'
  | 'credential'
  | 'key'
  | 'write'
  | 'body'
  | 'record'
  | 'conditional'
  | 'proof';

export type ErrorCode = keyof typeof errors;

export const errorCodes = keysOf(errors);

/** Problem with one field, in `fields` of `validation_failed`. */
export interface FieldError {
  /** Path of the value: names and indexes, separated by dots, such as `tags.1`. Empty for the whole input. */
  path: string;
  message: string;
}
