import { createHmac, createSecretKey } from 'node:crypto';
import type { RandomBytes } from '../contract/record-id.ts';

/** Delivery to sign. `body` contains the exact bytes that are sent. */
type SignedDelivery = {
  event: string;
  deliveryId: string;
  secret: string;
  /** Secret before the last rotation, which receivers may still use. It signs too. */
  previousSecret?: string | null;
  body: Uint8Array;
  /** Time of this attempt. Receivers that follow Standard Webhooks limit replays by it. */
  sentAt: Date;
};

/**
 * Returns all headers of a delivery: the service's own, whose signature covers only the body, and those of Standard
 * Webhooks, which let receivers limit replays. Every attempt of a delivery has the same `webhook-id`, so receivers can
 * detect duplicates. The service's own signature uses only `secret`; `webhook-signature` contains one signature per
 * secret.
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
    // Node takes five times as long for a key that is not a KeyObject.
    const key = createSecretKey(standardKey(secret));
    const signature = createHmac('sha256', key).update(`${deliveryId}.${timestamp}.`);
    return `v1,${signature.update(body).digest('base64')}`;
  });
  return signatures.join(' ');
}

/** Prefix of a secret in Standard Webhooks. The rest is the key in base64. */
const prefix = 'whsec_';

/** Allowed length of the key in a secret, in bytes. */
const keyBytes = { min: 24, max: 64 };

/** Creates a subscription secret: `whsec_` and 32 bytes in base64. */
export const generateWebhookSecret = (randomBytes: RandomBytes) =>
  prefix + Buffer.from(randomBytes(32)).toString('base64');

/**
 * Returns the key of the Standard Webhooks signature, as that specification's libraries derive it. After `whsec_`,
 * canonical base64 of 24 to 64 bytes is decoded. Any other secret is used as its own key.
 */
export function standardKey(secret: string): Uint8Array {
  const encoded = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const key = Buffer.from(encoded, 'base64');
  const isKey =
    key.length >= keyBytes.min && key.length <= keyBytes.max && key.toString('base64') === encoded;
  return isKey ? key : Buffer.from(secret, 'utf8');
}
