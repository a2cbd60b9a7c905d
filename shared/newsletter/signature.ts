import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a link in a mail says, signed by its site for one purpose: it is good for no other. */
export const signed = (key: string, purpose: 'unsubscribe' | 'confirm', said: string) =>
  said + createHmac('sha256', key).update(`${purpose} ${said}`).digest('base64url').slice(0, 32);

export const isSame = (token: string, other: string) =>
  token.length === other.length && timingSafeEqual(Buffer.from(token), Buffer.from(other));
