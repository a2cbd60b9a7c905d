export type Bytes = Uint8Array<ArrayBuffer>;

/** Whether a signature is the HMAC-SHA256 of `signed`, in constant time. */
export type CheckSignature = (signature: Bytes, signed: Bytes) => Promise<boolean>;

/** Web Crypto is in Node, browsers and edge runtimes alike; its `verify` compares in constant time. */
export async function signatureCheck(secret: string): Promise<CheckSignature> {
  if (typeof secret !== 'string' || secret === '')
    throw new TypeError("verifyWebhook needs the subscription's secret");
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', new TextEncoder().encode(secret), algorithm, false, ['verify']);
  return (signature, signed) => subtle.verify('HMAC', key, signature, signed);
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
