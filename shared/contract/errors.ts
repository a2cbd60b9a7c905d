/**
 * Every error of the service: its stable code, HTTP status and default message. REST, RPC, MCP, the OpenAPI
 * document and the client all derive from this table (SPEC "Errors", DECISIONS 3).
 */
export const errors = {
  invalid_request: { status: 400, message: 'invalid request' },
  validation_failed: { status: 400, message: 'validation failed' },
  unauthorized: { status: 401, message: 'missing or invalid Authorization header' },
  key_disabled: { status: 403, message: 'API key is disabled' },
  key_expired: { status: 403, message: 'API key has expired' },
  insufficient_scope: { status: 403, message: 'insufficient scope' },
  origin_not_allowed: { status: 403, message: 'origin not allowed' },
  not_found: { status: 404, message: 'not found' },
  payload_too_large: { status: 413, message: 'request body is too large' },
  rate_limited: { status: 429, message: 'too many requests' },
  internal_error: { status: 500, message: 'internal error' },
  webhooks_not_provisioned: { status: 503, message: 'webhook storage is not provisioned' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errors;

/** The one body that every error on `/api` has. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string };
}
