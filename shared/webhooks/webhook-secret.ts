import type { RandomBytes } from './secret-box.ts';

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 43;

/** A new subscription secret: `whsec_` and 43 base62 characters, 256 bits (DECISIONS 6). */
export function generateWebhookSecret(random: RandomBytes): string {
  let characters = '';
  while (characters.length < length) {
    for (const byte of random(length)) {
      // 248 is the largest multiple of 62 in a byte; taking more would favour the first letters.
      if (byte < 248 && characters.length < length) characters += base62.charAt(byte % 62);
    }
  }
  return `whsec_${characters}`;
}
