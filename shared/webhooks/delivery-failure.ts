import type { DeliveryError } from '../contract/features/webhooks.ts';

/** Error of a delivery attempt, thrown where its kind is known. */
export class DeliveryFailure extends Error {
  readonly kind: DeliveryError;

  constructor(kind: DeliveryError, cause?: unknown) {
    super(`Webhook delivery failed: ${kind}`, { cause });
    this.name = 'DeliveryFailure';
    this.kind = kind;
  }
}
