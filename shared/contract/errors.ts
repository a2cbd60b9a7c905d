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
    message: 'a second factor is needed: answer `challenge` at /api/admin/session/factor',
  },
  proof_required: {
    status: 403,
    when: 'proof',
    message: 'this needs a second factor that was given in the last ten minutes: /api/admin/session/proof',
  },
  mcp_disabled: { status: 403, message: 'assistant access is switched off for this site' },
  media_full: { status: 403, message: "the plan's room for media is used up: delete some first" },
  newsletter_limit: { status: 403, message: "this is more than the plan's recipients of that month" },
  not_found: { status: 404, when: 'record', message: 'not found' },
  method_not_allowed: { status: 405, message: 'only POST is served here' },
  suppressed: {
    status: 409,
    message: 'mail to this address came back, or its reader complained: only they can subscribe it again',
  },
  site_required: { status: 409, message: 'you work on several sites: name one of them as `site_id`' },
  last_owner: { status: 409, message: 'a site has at least one owner: make somebody else one first' },
  account_exists: { status: 409, message: 'this address has an account: sign in with it, and accept then' },
  attempt_running: { status: 409, message: 'an attempt of this delivery is under way' },
  replay_running: { status: 409, message: 'a replay of this webhook is still running' },
  already_mailed: { status: 409, message: 'the post was mailed already: to do it once more, say `again`' },
  mailing_state: { status: 409, message: 'the mailing does not stand so that this can be done' },
  moving_busy: {
    status: 409,
    message: 'the site is being exported or imported already, or many others are: wait until that has ended',
  },
  event_expired: { status: 409, message: 'the event is no longer kept, so it cannot be sent again' },
  precondition_failed: { status: 412, when: 'conditional', message: 'the record has changed since' },
  payload_too_large: { status: 413, when: 'body', message: 'request body is too large' },
  unsupported_media_type: {
    status: 415,
    message:
      'this kind of file is not taken: send a JPEG, PNG, WebP, AVIF or GIF image, a PDF, audio or video',
  },
  media_damaged: {
    status: 422,
    message: 'the file is damaged or incomplete: open it in a program, save it anew, and upload that',
  },
  image_too_large: {
    status: 422,
    message: `the image has more than ${media.mostPixels / 1e6} million pixels: upload a smaller one`,
  },
  idempotency_key_reused: {
    status: 422,
    when: 'write',
    message: 'this Idempotency-Key was used for another request',
  },
  rate_limited: { status: 429, when: 'always', message: 'too many requests' },
  too_many_followers: {
    status: 429,
    message: `the site's events have ${following.perSite} followers already: end one of them first`,
  },
  busy: { status: 503, message: 'too much of this site is being read at once, try again in a moment' },
  uploads_busy: { status: 503, message: 'too many uploads at once, try again in a moment' },
  media_unavailable: { status: 503, message: 'media store unavailable; try again later' },
  mail_not_configured: {
    status: 503,
    message: 'no mail server is set up for this service, so nothing can be mailed',
  },
  insufficient_storage: {
    status: 507,
    message: 'there is no room for this on the server at the moment, try again later',
  },
  internal_error: { status: 500, when: 'always', message: 'internal error' },
  database_busy: { status: 503, when: 'always', message: 'the database is busy, try again' },
  database_unavailable: {
    status: 503,
    when: 'always',
    message: "the database can't be reached, try again later",
  },
  writes_paused: {
    status: 503,
    when: 'always',
    message: 'nothing can be stored at the moment, try again later',
  },
  webhooks_not_provisioned: { status: 503, message: 'webhook storage is not provisioned' },
} as const satisfies Record<string, ErrorRow>;

export interface ErrorRow {
  status: number;
  /** Left out, only operations give it that say so in their own declaration. */
  when?: ErrorOccasion;
  message: string;
}

/**
 * Which operations can give an error: all; those behind any `credential`, or an API `key`; those that `write`; those that
 * take a `body`; those about one `record`; those that are `conditional`, since they take `If-Match`; those that take a
 * fresh `proof`.
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

/** What is wrong with one field; in the fields of `validation_failed`. */
export interface FieldError {
  /** Names and places with dots between them: `tags.1`. Empty for the whole of the input. */
  path: string;
  message: string;
}
