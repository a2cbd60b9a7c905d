import { createHmac, createSecretKey } from 'node:crypto';
import type { RandomBytes } from '../contract/record-id.ts';

/** One delivery as it is signed. `body` holds the exact bytes that go over the wire. */
type SignedDelivery = {
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

/** How Standard Webhooks marks a secret whose rest is the base64 of the key. */
const prefix = 'whsec_';

/** Bytes that such a key may have. */
const keyBytes = { min: 24, max: 64 };

/** A new subscription secret: `whsec_` and the base64 of 32 bytes. */
export const generateWebhookSecret = (randomBytes: RandomBytes) =>
  prefix + Buffer.from(randomBytes(32)).toString('base64');

/**
 * The key of the Standard Webhooks signature, as that specification's libraries take it from a secret: the bytes behind
 * `whsec_` when the rest is base64 as an encoder writes it, of 24 to 64 bytes. Any other secret is its own key.
 */
export function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const key = Buffer.from(encoded, 'base64');
  const isKey =
    key.length >= keyBytes.min && key.length <= keyBytes.max && key.toString('base64') === encoded;
  return isKey ? key : Buffer.from(secret, 'utf8');
}
