import { createHmac } from 'node:crypto';
import { standardKey } from './webhook-secret.ts';

/** One delivery as it is signed. `body` holds the exact bytes that go over the wire. */
export type SignedDelivery = {
  event: string;
  deliveryId: string;
  secret: string;
  body: Uint8Array;
  /** When this attempt is sent: receivers that follow Standard Webhooks bound replays by it. */
  sentAt: Date;
};

/**
 * All headers of one delivery: the service's own, whose signature covers the body alone, and those of Standard Webhooks,
 * with which a receiver can also bound replays. Every attempt of a delivery carries the same `webhook-id`, so receivers
 * can de-duplicate.
 */
export function deliveryHeaders(delivery: SignedDelivery): Record<string, string> {
  const timestamp = String(Math.floor(delivery.sentAt.getTime() / 1000));
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhook/1.0',
    'X-Service-Event': delivery.event,
    'X-Service-Delivery': delivery.deliveryId,
    'X-Service-Signature': `sha256=${bodySignature(delivery.secret, delivery.body)}`,
    'webhook-id': delivery.deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${standardSignature(delivery, timestamp)}`,
  };
}

function bodySignature(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function standardSignature({ secret, deliveryId, body }: SignedDelivery, timestamp: string): string {
  const signature = createHmac('sha256', standardKey(secret)).update(`${deliveryId}.${timestamp}.`);
  return signature.update(body).digest('base64');
}
