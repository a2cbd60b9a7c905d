import type { DeliveryError } from '../contract/features/webhooks.ts';

/** Failure whose kind is known where it occurs. */
export class DeliveryFailure extends Error {
  readonly kind: DeliveryError;

  constructor(kind: DeliveryError, cause?: unknown) {
    super(`Webhook delivery failed: ${kind}`, { cause });
    this.name = 'DeliveryFailure';
    this.kind = kind;
  }
}
