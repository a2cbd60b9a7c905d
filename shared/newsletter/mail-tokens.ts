import { createHmac, timingSafeEqual } from 'node:crypto';
import { findMailKey, type MailKeyPlace, suppressionHash } from './mail-key.ts';

type Purpose = 'unsubscribe' | 'confirm' | 'bounce';

/** Made with a site's key, and good for one purpose only. That of `bounce` is in hex, since some servers lower-case addresses. */
function signature(key: string, purpose: Purpose, said: string): string {
  const made = createHmac('sha256', key).update(`${purpose} ${said}`);
  return purpose === 'bounce' ? made.digest('hex').slice(0, 24) : made.digest('base64url').slice(0, 32);
}

/** By which a subscriber of a site unsubscribes. It never ends, and names the address, so that it works once the row is gone. */
export function unsubscribeToken(
  key: string,
  { siteId, subscriberId, email }: { siteId: string; subscriberId: string; email: string },
): string {
  const said = `${siteId}${subscriberId}${suppressionHash(key, email)}`;
  return said + signature(key, 'unsubscribe', said);
}

/** By which somebody confirms that they want the newsletter of a site. It names when they were asked: who unsubscribed since, stays unsubscribed. */
export function confirmToken(
  key: string,
  { siteId, subscriberId, askedAt }: { siteId: string; subscriberId: string; askedAt: Date },
): string {
  const said = `${siteId}${subscriberId}${askedAt.getTime().toString(36).padStart(9, '0')}`;
  return said + signature(key, 'confirm', said);
}

/** Where what can't be delivered of one copy comes back to (VERP). */
export function bounceAddress(
  key: string,
  { siteId, recipientId }: { siteId: string; recipientId: string },
  domain: string,
): string {
  const said = `${siteId}${recipientId}`;
  return `b-${said}${signature(key, 'bounce', said)}@${domain}`;
}

/** What complaints of mailbox providers are sent to. */
export const complaintAddress = (domain: string): string => `fbl@${domain}`;

/** What is said has fixed lengths: the site, a record of it, and what else there is. */
const shapes: Record<Purpose, RegExp> = {
  unsubscribe: /^(?<said>(?<siteId>[a-z0-9]{15})(?<id>[a-z0-9]{15})(?<rest>[\w-]{43}))(?<signed>[\w-]{32})$/,
  confirm: /^(?<said>(?<siteId>[a-z0-9]{15})(?<id>[a-z0-9]{15})(?<rest>[a-z0-9]{9}))(?<signed>[\w-]{32})$/,
  bounce: /^b-(?<said>(?<siteId>[a-z0-9]{15})(?<id>[a-z0-9]{15}))(?<signed>[0-9a-f]{24})@/,
};

/** What a token says, with the key of its site; null where that has not signed it for this purpose. */
async function open(place: MailKeyPlace, purpose: Purpose, token: string) {
  const { said, siteId, id, rest = '', signed } = shapes[purpose].exec(token)?.groups ?? {};
  if (!said || !siteId || !id || !signed) return null;
  const mailKey = await findMailKey(place, siteId);
  if (!mailKey) return null;
  const isOurs = timingSafeEqual(Buffer.from(signed), Buffer.from(signature(mailKey, purpose, said)));
  return isOurs ? { siteId, id, rest, mailKey } : null;
}

/** Who unsubscribes, by the hash of their address. Null for a token that no site has given out. */
export async function openUnsubscribeToken(place: MailKeyPlace, token: string) {
  const opened = await open(place, 'unsubscribe', token);
  if (!opened) return null;
  const { id: subscriberId, rest: emailHash, ...site } = opened;
  return { ...site, subscriberId, emailHash };
}

/** Who confirms what they were asked then. Null for a token that no site has given out. */
export async function openConfirmToken(place: MailKeyPlace, token: string) {
  const opened = await open(place, 'confirm', token);
  if (!opened) return null;
  const { id: subscriberId, rest: moment, ...site } = opened;
  return { ...site, subscriberId, askedAt: new Date(Number.parseInt(moment, 36)) };
}

/** Whose copy has come back. Null for an address that no site has made. */
export async function openBounceAddress(place: MailKeyPlace, address: string) {
  const opened = await open(place, 'bounce', address.toLowerCase());
  return opened && { siteId: opened.siteId, recipientId: opened.id, mailKey: opened.mailKey };
}

/** Of a copy: the same however often it is sent. */
export const messageIdOf = (copy: { id: string; mailing_id: string; host: string }) =>
  `<${copy.id}.${copy.mailing_id}@${copy.host}>`;

/** The id of the copy that a `Message-ID` names, in angle brackets or not; null for one that isn't of ours. */
export const readMessageId = (text: string): string | null =>
  /^<?([a-z0-9]{15})\.[a-z0-9]{15}@/.exec(text.trim())?.[1] ?? null;
