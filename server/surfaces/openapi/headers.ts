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
  EntityTag: {
    description: 'Names this answer, for `If-None-Match`',
    schema: { type: 'string' },
  },
  WwwAuthenticate: {
    description: 'The scheme that credentials are sent with',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
} as const satisfies Record<string, oas31.HeaderObject>;

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

/** The headers of a reply with `status`; `tagged` if its copies can be asked for again. */
export function headersOf(status: number, tagged = false): oas31.HeadersObject {
  return {
    'X-Request-Id': ref('RequestId'),
    'X-RateLimit-Limit': ref('RateLimitLimit'),
    'X-RateLimit-Remaining': ref('RateLimitRemaining'),
    'X-RateLimit-Reset': ref('RateLimitReset'),
    ...(tagged ? { ETag: ref('EntityTag') } : {}),
    ...(status === 401 ? { 'WWW-Authenticate': ref('WwwAuthenticate') } : {}),
    ...(status === 429 ? { 'Retry-After': ref('RetryAfter') } : {}),
    ...(status === 503 ? { 'Retry-After': { ...headers.RetryAfter, required: false } } : {}),
  };
}
