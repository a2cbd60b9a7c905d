import { suppressionHash } from './mail-key.ts';
import { isSame, signed } from './signature.ts';

interface Subscriber {
  siteId: string;
  subscriberId: string;
  email: string;
}

/** By which a subscriber of a site unsubscribes. It never ends, and names the address, so that it works once the row is gone. */
export const unsubscribeToken = (key: string, { siteId, subscriberId, email }: Subscriber): string =>
  signed(key, 'unsubscribe', `${siteId}${subscriberId}${suppressionHash(key, email)}`);

const shape = /^(([a-z0-9]{15})([a-z0-9]{15})([\w-]{43}))[\w-]{32}$/;

/** What a token says, which is true if the key of that site signed it; null for a text of any other form. */
export function readUnsubscribeToken(token: string) {
  const [, said, siteId, subscriberId, emailHash] = shape.exec(token) ?? [];
  if (!said || !siteId || !subscriberId || !emailHash) return null;
  const isSignedWith = (key: string) => isSame(token, signed(key, 'unsubscribe', said));
  return { siteId, subscriberId, emailHash, isSignedWith };
}
