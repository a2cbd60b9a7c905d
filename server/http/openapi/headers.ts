import type { oas31 } from 'openapi3-ts';

/** Reply headers by component name. Limit headers are absent if the operator switched the tier off. */
export const headers = {
  RequestId: {
    description: 'ID of the request in the logs of the service',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  RateLimitLimit: {
    description: 'Burst size of the tightest rate limit that applies to the request',
    schema: { type: 'integer', minimum: 1 },
  },
  RateLimitRemaining: {
    description: 'Number of requests left in that limit',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    description: 'Time at which that limit is fully available again, in Unix seconds',
    schema: { type: 'integer' },
  },
  RetryAfter: {
    description: 'Seconds to wait before the next request',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  IdempotencyReplayed: {
    description:
      'Present if this is the stored response to an earlier request with the same `Idempotency-Key`',
    schema: { type: 'string', const: 'true' },
  },
  EntityTag: {
    description:
      'Entity tag for `If-None-Match`; the tag of a record also contains its revision, for `If-Match`',
    schema: { type: 'string' },
  },
  NextPage: {
    description: 'Path of the next page, as `<…>; rel="next"` (RFC 8288); absent on the last page',
    schema: { type: 'string' },
  },
  WwwAuthenticate: {
    description: 'Authentication scheme',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
} as const satisfies Record<string, oas31.HeaderObject>;

const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

/** Creates a parameter for a request header. Its schema is a text with the rules in `schema`. */
export const headerParameter = (
  name: string,
  description: string,
  schema: oas31.SchemaObject = {},
  required = false,
): oas31.ParameterObject => ({
  ...{ name, in: 'header', required, description },
  schema: { type: 'string', ...schema },
});

/**
 * Returns the headers of a response. `tagged` adds `ETag`; `replayed` and `paged` add the headers of a stored response
 * and of a next page.
 */
export function headersOf(
  status: number,
  { tagged, replayed, paged }: { tagged?: boolean; replayed?: boolean; paged?: boolean } = {},
): oas31.HeadersObject {
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
