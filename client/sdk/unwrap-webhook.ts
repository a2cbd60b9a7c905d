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
 * The event of a delivery whose signature is right, checked to be one that this package knows: `event.event` tells which
 * one, and so what `event.data` holds. Besides the service's events there is `test`, which the owner sends to try a
 * receiver.
 *
 * Throws a `WebhookError` for whatever must not be trusted, as `verifyWebhook` does; and with `unknown_event` for an event
 * that is genuine, but newer than this package: answer it with 2xx, or the service sends it again and in the end switches
 * the subscription off. Fields that an event has besides those of its type are kept as they came.
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
