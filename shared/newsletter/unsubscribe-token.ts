import { createHmac, timingSafeEqual } from 'node:crypto';
import { suppressionHash } from './mail-key.ts';

interface Subscriber {
  siteId: string;
  subscriberId: string;
  email: string;
}

/** By which a subscriber of a site unsubscribes. It never ends, and names the address, so that it works once the row is gone. */
export function unsubscribeToken(key: string, { siteId, subscriberId, email }: Subscriber): string {
  const said = `${siteId}${subscriberId}${suppressionHash(key, email)}`;
  return said + signatureOf(key, said);
}

/** What a token says, which is true if the key of that site signed it. */
export interface UnsubscribeToken {
  siteId: string;
  subscriberId: string;
  emailHash: string;
  isSignedWith(key: string): boolean;
}

const shape = /^(([a-z0-9]{15})([a-z0-9]{15})([\w-]{43}))([\w-]{32})$/;

/** Null for a text of any other form. */
export function readUnsubscribeToken(token: string): UnsubscribeToken | null {
  const [, said, siteId, subscriberId, emailHash, signature] = shape.exec(token) ?? [];
  if (!said || !siteId || !subscriberId || !emailHash || !signature) return null;
  const isSignedWith = (key: string) =>
    timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, said)));
  return { siteId, subscriberId, emailHash, isSignedWith };
}

const signatureOf = (key: string, said: string) =>
  createHmac('sha256', key).update(`unsubscribe ${said}`).digest('base64url').slice(0, 32);
