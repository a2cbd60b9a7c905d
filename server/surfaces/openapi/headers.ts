import type { oas31 } from 'openapi3-ts';

/** Headers of replies, by component name. Those of limits are absent where the operator switched the tier off. */
export const headers = {
  RequestId: {
    description: 'Names the request in the logs of the service',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitLimit: {
    description: 'Burst size of the tightest limit that the request counted in',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'Requests left before that limit refuses',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'When that limit is whole again, in Unix seconds',
    schema: { type: 'integer' },
  },
  RetryAfter: {
    description: 'Seconds until a request can pass',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotencyReplayed: {
    description: 'Set when the answer is that of an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
  },
  EntityTag: {
    description: 'Names this answer, for `If-None-Match`; of a record, also its revision, for `If-Match`',
    schema: { type: 'string' },
  },
  NextPage: {
    description: 'Path of the next page, as `<…>; rel="next"` (RFC 8288); absent from the last',
    schema: { type: 'string' },
  },
  WwwAuthenticate: {
    description: 'The scheme that credentials are sent with',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
} as const satisfies Record<string, oas31.HeaderObject>;

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

/** What an answer can carry besides what all do. */
interface Kind {
  /** Its copies can be asked for again. */
  tagged?: boolean;
  /** It may be given again to who repeats the request. */
  replayed?: boolean;
  /** It may be one page of several. */
  paged?: boolean;
}

export function headersOf(status: number, { tagged, replayed, paged }: Kind = {}): oas31.HeadersObject {
  return {
    'X-Request-Id': ref('RequestId'),
    'X-RateLimit-Limit': ref('RateLimitLimit'),
    'X-RateLimit-Remaining': ref('RateLimitRemaining'),
    'X-RateLimit-Reset': ref('RateLimitReset'),
    ...(replayed ? { 'Idempotency-Replayed': ref('IdempotencyReplayed') } : {}),
    ...(tagged ? { ETag: ref('EntityTag') } : {}),
    ...(paged ? { Link: ref('NextPage') } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': ref('WwwAuthenticate') } : {}),
    ...(status === 429 ? { 'Retry-After': ref('RetryAfter') } : {}),
    ...(status === 503 ? { 'Retry-After': { ...headers.RetryAfter, required: false } } : {}),
  };
}
