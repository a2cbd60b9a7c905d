import { createHmac, createSecretKey } from 'node:crypto';
import { standardKey } from './webhook-secret.ts';

/** One delivery as it is signed. `body` holds the exact bytes that go over the wire. */
export type SignedDelivery = {
  event: string;
  deliveryId: string;
  secret: string;
  /** Another secret that receivers may still check by. */
  previousSecret?: string | null;
  body: Uint8Array;
  /** When this attempt is sent: receivers that follow Standard Webhooks bound replays by it. */
  sentAt: Date;
};

/**
 * All headers of one delivery: the service's own, whose signature covers the body alone, and those of Standard Webhooks,
 * with which a receiver can also bound replays. Every attempt of a delivery carries the same `webhook-id`, so receivers
 * can de-duplicate. The service's own signature is by `secret` alone; `webhook-signature` holds one by each.
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
    'webhook-signature': standardSignatures(delivery, timestamp),
  };
}

function bodySignature(secret: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

function standardSignatures({ deliveryId, body, ...by }: SignedDelivery, timestamp: string): string {
  const secrets = by.previousSecret ? [by.secret, by.previousSecret] : [by.secret];
  const signatures = secrets.map((secret) => {
    // Node takes five times as long for bytes that aren't made a key first.
    const key = createSecretKey(standardKey(secret));
    const signature = createHmac('sha256', key).update(`${deliveryId}.${timestamp}.`);
    return `v1,${signature.update(body).digest('base64')}`;
  });
  return signatures.join(' ');
}
