import { z } from 'zod';

/** Why an attempt failed: the closed list of DECISIONS 6. Null on a record whose last attempt was acknowledged. */
export const DeliveryError = z
  .enum([
    'timeout',
    'dns_failure',
    'forbidden_address',
    'connection_failed',
    'tls_error',
    'redirect',
    'http_status',
    'response_too_large',
  ])
  .describe('Why the last attempt failed');
export type DeliveryError = z.infer<typeof DeliveryError>;

/** `failed`: six attempts used. `cancelled`: the subscription was disabled or deleted before an acknowledgement. */
export const DeliveryStatus = z
  .enum(['pending', 'delivered', 'retrying', 'failed', 'cancelled'])
  .describe('Where the delivery stands');
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;
