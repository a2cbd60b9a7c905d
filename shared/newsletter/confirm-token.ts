import { isSame, signed } from './signature.ts';

interface ConfirmationRequest {
  siteId: string;
  subscriberId: string;
  askedAt: Date;
}

/** By which somebody confirms that they want the newsletter of a site. It names when they were asked: who unsubscribed since, stays unsubscribed. */
export const confirmToken = (key: string, { siteId, subscriberId, askedAt }: ConfirmationRequest): string =>
  signed(key, 'confirm', `${siteId}${subscriberId}${askedAt.getTime().toString(36).padStart(9, '0')}`);

const shape = /^(([a-z0-9]{15})([a-z0-9]{15})([a-z0-9]{9}))[\w-]{32}$/;

/** What a token says, which is true if the key of that site signed it; null for a text of any other form. */
export function readConfirmToken(token: string) {
  const [, said, siteId, subscriberId, moment] = shape.exec(token) ?? [];
  if (!said || !siteId || !subscriberId || !moment) return null;
  const isSignedWith = (key: string) => isSame(token, signed(key, 'confirm', said));
  return { siteId, subscriberId, askedAt: new Date(Number.parseInt(moment, 36)), isSignedWith };
}
