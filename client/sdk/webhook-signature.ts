export type Bytes = Uint8Array<ArrayBuffer>;

/** Whether a signature is the HMAC-SHA256 of `signed`, in constant time. */
export type CheckSignature = (signature: Bytes, signed: Bytes) => Promise<boolean>;

/** Web Crypto is in Node, browsers and edge runtimes alike; its `verify` compares in constant time. */
export async function signatureCheck(keyBytes: Bytes): Promise<CheckSignature> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', keyBytes, algorithm, false, ['verify']);
  return (signature, signed) => subtle.verify('HMAC', key, signature, signed);
}

/** The key of `X-Service-Signature`. */
export function ownKey(secret: string): Bytes {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError("the subscription's secret is missing");
  return new TextEncoder().encode(secret);
}

/**
 * The key of `webhook-signature`, by the rule of Standard Webhooks: the bytes behind `whsec_` when the rest is base64 as
 * an encoder writes it, of 24 to 64 bytes; else the secret itself.
 */
export function standardKey(secret: string): Bytes {
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : '';
  const key = fromBase64(encoded);
  const isKey = key.length >= 24 && key.length <= 64 && btoa(String.fromCharCode(...key)) === encoded;
  return isKey ? key : ownKey(secret);
}

export const fromHex = (hex: string): Bytes =>
  Uint8Array.from(hex.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

/** No bytes at all for what is not base64, which no signature fits. */
export function fromBase64(base64: string): Bytes {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
