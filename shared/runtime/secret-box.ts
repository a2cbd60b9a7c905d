import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import type { RandomBytes } from '../contract/record-id.ts';

/**
 * Encrypts values that are stored but must stay secret, such as secrets of subscriptions, stored answers and codes. The
 * owner (such as `<site id>/<subscription id>`) is authenticated with the value. A sealed text that is copied to
 * another row therefore does not open there.
 */
export type SecretBox = {
  /** Returns `v1.` and the base64url of nonce, tag and ciphertext. The result differs each time. */
  seal(secret: string, owner: string): string;
  /**
   * Returns the value. Throws `SealedSecretError` if the text was altered, belongs to another owner or was sealed with
   * another key.
   */
  open(sealed: string, owner: string): string;
  /**
   * Returns a keyed hash of a text, in base64url of 256 bits. It identifies even short, guessable texts without
   * revealing them.
   */
  fingerprint(text: string | Buffer): string;
  /** Returns the signature of an address that grants access, in base64url of 256 bits. Its key has no other use. */
  sign(text: string): string;
};

export class SealedSecretError extends Error {
  constructor(cause?: unknown) {
    super('cannot decrypt a stored secret: SECRET_KEY has changed, or the stored secret was altered', {
      cause,
    });
    this.name = 'SealedSecretError';
  }
}

/** Returns the result of `open`. Null if the text was altered or sealed with another key. Other errors are thrown. */
export function openedOrNull<T>(open: () => T): T | null {
  try {
    return open();
  } catch (error) {
    if (error instanceof SealedSecretError) return null;
    throw error;
  }
}

const version = 'v1.';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Creates the secret box of a process. `random` returns the given number of random bytes. `open` throws `SealedSecretError`
 * for a value that was altered, or encrypted with another key or for another owner.
 */
export function createSecretBox(secretKey: string, random: RandomBytes): SecretBox {
  const key = derivedKey(secretKey, 'webhook subscription secret v1');
  const fingerprintKey = derivedKey(secretKey, 'fingerprint v1');
  const addressKey = derivedKey(secretKey, 'signed address v1');
  return {
    seal: (secret, owner) => seal(key, random(nonceBytes), { secret, owner }),
    open: (sealed, owner) => open(key, sealed, owner),
    fingerprint: (text) => createHmac('sha256', fingerprintKey).update(text).digest('base64url'),
    sign: (text) => createHmac('sha256', addressKey).update(text).digest('base64url'),
  };
}

/** Creates a key object, because Node encrypts five times as fast with it as with the same bytes. */
const derivedKey = (secretKey: string, purpose: string) =>
  createSecretKey(Buffer.from(hkdfSync('sha256', secretKey, '', purpose, 32)));

function seal(
  key: KeyObject,
  nonce: Uint8Array,
  { secret, owner }: { secret: string; owner: string },
): string {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  return version + Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64url');
}

function open(key: KeyObject, sealed: string, owner: string): string {
  if (!sealed.startsWith(version)) throw new SealedSecretError();
  const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
  const ciphertextStart = nonceBytes + tagBytes;
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(owner));
    decipher.setAuthTag(bytes.subarray(nonceBytes, ciphertextStart));
    return Buffer.concat([decipher.update(bytes.subarray(ciphertextStart)), decipher.final()]).toString(
      'utf8',
    );
  } catch (cause) {
    throw new SealedSecretError(cause);
  }
}

/** Returns the SHA-256 hash of a random secret, in hexadecimal digits. It is stored and used for lookups. */
export const hashSecret = (secret: string) => hash('sha256', secret);
