import type { StripeFailure } from '../../shared/selling/stripe.ts';
import { ApiError } from '../api/api-error.ts';

/** Error for a call that Stripe refused, with Stripe's message, or did not answer. */
export function providerError(failure: Exclude<StripeFailure, { kind: 'unauthorized' }>): ApiError {
  const { message, cause } = failure;
  if (failure.kind === 'refused') return new ApiError('provider_refused', message, { cause });
  return new ApiError('provider_unavailable', undefined, { cause, retryAfter: failure.retryAfter });
}
