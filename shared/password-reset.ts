import { base62, type RandomBytes, randomText } from './contract/record-id.ts';

/** A new token of the link by which somebody chooses a new password: `svc_reset_` and 43 base62 characters. */
export const newResetToken = (randomBytes: RandomBytes) => `svc_reset_${randomText(base62, 43, randomBytes)}`;
