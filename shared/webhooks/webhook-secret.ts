import { base62, type RandomBytes, randomText } from '../contract/random-text.ts';

/** A new subscription secret: `whsec_` and 43 base62 characters, 256 bits (DECISIONS 6). */
export const generateWebhookSecret = (randomBytes: RandomBytes) =>
  `whsec_${randomText(base62, 43, randomBytes)}`;
