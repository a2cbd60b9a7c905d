import type { DeliveryError } from '../contract/features/webhooks.ts';

/** A failure whose place in the closed list is already known where it happens. */
export class DeliveryFailure extends Error {
  readonly kind: DeliveryError;

  constructor(kind: DeliveryError, cause?: unknown) {
    super(`Webhook delivery failed: ${kind}`, { cause });
    this.name = 'DeliveryFailure';
    this.kind = kind;
  }
}
