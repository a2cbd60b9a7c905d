import type { WebhookEvent } from './contract.ts';
import { eventShapes } from './event-shapes.ts';
import {
  type SignedEvent,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from './verify-webhook.ts';

/**
 * Verifies a delivery and returns its event, checked to be one that this package knows: `event.event` determines the type
 * of `event.data`. In addition to the service's events, the owner can send a `test`. Throws a `WebhookError` for a delivery
 * that must not be trusted, as `verifyWebhook` does. It also throws with `unknown_event` for a genuine event that is newer
 * than this package. Answer that one with 2xx: otherwise the service retries it and finally disables the subscription.
 * Additional fields of an event are returned unchanged.
 */
export async function unwrapWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const signed = await verifyWebhook(rawBody, headers, secret, options);
  checkShape(signed);
  return signed;
}

function checkShape(signed: SignedEvent): asserts signed is WebhookEvent {
  const { event, data } = signed;
  const shape = Object.hasOwn(eventShapes, event) ? eventShapes[event] : undefined;
  if (!shape) {
    throw new WebhookError(
      'unknown_event',
      `this version of the package does not know the event ${JSON.stringify(event)}`,
    );
  }
  for (const [field, type] of Object.entries(shape)) {
    if (typeof data[field] !== type) {
      throw new WebhookError('malformed_body', `data.${field} of ${event} is not a ${type}`);
    }
  }
}
