import type { RandomBytes } from '../contract/record-id.ts';

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
