import { createHmac } from 'node:crypto';
import { isSame } from './signature.ts';

interface Copy {
  siteId: string;
  /** Of the copy. */
  recipientId: string;
}

/** Where what can't be delivered of one copy comes back to (VERP). Some servers write addresses in small letters, so it has no others. */
export const bounceAddress = (key: string, copy: Copy, domain: string): string =>
  `b-${copy.siteId}${copy.recipientId}${mark(key, copy)}@${domain}`;

/** What complaints of mailbox providers are sent to. */
export const complaintAddress = (domain: string): string => `fbl@${domain}`;

const mark = (key: string, { siteId, recipientId }: Copy) =>
  createHmac('sha256', key).update(`bounce ${siteId}${recipientId}`).digest('hex').slice(0, 24);

const shape = /^b-([a-z0-9]{15})([a-z0-9]{15})([0-9a-f]{24})@/i;

/** The copy that an address names, if the key of that site marked it; null for any other form. */
export function readBounceAddress(address: string) {
  const [, siteId, recipientId, said] = shape.exec(address.toLowerCase()) ?? [];
  if (!siteId || !recipientId || !said) return null;
  const copy = { siteId, recipientId };
  return { ...copy, isMarkedWith: (key: string) => isSame(said, mark(key, copy)) };
}
