import { createHmac, timingSafeEqual } from 'node:crypto';
import { findMailKey, type MailKeyStore, suppressionHash } from './mail-key.ts';

type Purpose = 'unsubscribe' | 'confirm' | 'bounce';

/**
 * Returns a signature by a site's key, valid for one purpose. Bounce addresses use hex, because some servers convert
 * addresses to lower case.
 */
function signature(key: string, purpose: Purpose, said: string): string {
  const made = createHmac('sha256', key).update(`${purpose} ${said}`);
  return purpose === 'bounce' ? made.digest('hex').slice(0, 24) : made.digest('base64url').slice(0, 32);
}

/**
 * Creates the token by which a subscriber unsubscribes. It never expires. It contains the hash of the address, so it
 * works even after the subscriber's row is deleted.
 */
export function unsubscribeToken(
  key: string,
  { siteId, subscriberId, email }: { siteId: string; subscriberId: string; email: string },
): string {
  const said = `${siteId}${subscriberId}${suppressionHash(key, email)}`;
  return said + signature(key, 'unsubscribe', said);
}

/**
 * Creates the token by which a reader confirms a subscription. It contains the time of the request, so that it does not
 * restore a subscription that ended since.
 */
export function confirmToken(
  key: string,
  { siteId, subscriberId, askedAt }: { siteId: string; subscriberId: string; askedAt: Date },
): string {
  const said = `${siteId}${subscriberId}${askedAt.getTime().toString(36).padStart(9, '0')}`;
  return said + signature(key, 'confirm', said);
}

/** Returns the address to which bounces of one email return (VERP). */
export function bounceAddress(
  key: string,
  { siteId, recipientId }: { siteId: string; recipientId: string },
  domain: string,
): string {
  const said = `${siteId}${recipientId}`;
  return `b-${said}${signature(key, 'bounce', said)}@${domain}`;
}

/** Returns the address for complaints of mailbox providers. */
export const complaintAddress = (domain: string): string => `fbl@${domain}`;

/** Token formats. The signed part has fields of fixed length: site, record, and further data. */
const shapes: Record<Purpose, RegExp> = {
  unsubscribe: /^(?<said>(?<siteId>[a-z0-9]{15})(?<id>[a-z0-9]{15})(?<rest>[\w-]{43}))(?<signed>[\w-]{32})$/,
  confirm: /^(?<said>(?<siteId>[a-z0-9]{15})(?<id>[a-z0-9]{15})(?<rest>[a-z0-9]{9}))(?<signed>[\w-]{32})$/,
  bounce: /^b-(?<said>(?<siteId>[a-z0-9]{15})(?<id>[a-z0-9]{15}))(?<signed>[0-9a-f]{24})@/,
};

/** Checks a token, and returns its fields with the site's key; null if that key has not signed it for this purpose. */
async function open(keyStore: MailKeyStore, purpose: Purpose, token: string) {
  const { said, siteId, id, rest = '', signed } = shapes[purpose].exec(token)?.groups ?? {};
  if (!said || !siteId || !id || !signed) return null;
  const mailKey = await findMailKey(keyStore, siteId);
  if (!mailKey) return null;
  const isOurs = timingSafeEqual(Buffer.from(signed), Buffer.from(signature(mailKey, purpose, said)));
  return isOurs ? { siteId, id, rest, mailKey } : null;
}

/**
 * Returns the IDs of site and subscriber in an unsubscribe token, with the hash of the address. Null for a token that no
 * site issued. Throws `SealedSecretError` if the site's mail key was encrypted with another `SECRET_KEY`.
 */
export async function openUnsubscribeToken(keyStore: MailKeyStore, token: string) {
  const opened = await open(keyStore, 'unsubscribe', token);
  if (!opened) return null;
  const { id: subscriberId, rest: emailHash, ...site } = opened;
  return { ...site, subscriberId, emailHash };
}

/**
 * Returns the IDs of site and subscriber in a confirmation token, with the time of the request. Null for a token that no
 * site issued. The caller checks its age. Throws `SealedSecretError` if the site's mail key was encrypted with another
 * `SECRET_KEY`.
 */
export async function openConfirmToken(keyStore: MailKeyStore, token: string) {
  const opened = await open(keyStore, 'confirm', token);
  if (!opened) return null;
  const { id: subscriberId, rest: timestamp, ...site } = opened;
  return { ...site, subscriberId, askedAt: new Date(Number.parseInt(timestamp, 36)) };
}

/**
 * Returns the IDs of site and recipient in a bounce address. Null for an address that no site issued. Throws
 * `SealedSecretError` if the site's mail key was encrypted with another `SECRET_KEY`.
 */
export async function openBounceAddress(keyStore: MailKeyStore, address: string) {
  const opened = await open(keyStore, 'bounce', address.toLowerCase());
  return opened && { siteId: opened.siteId, recipientId: opened.id, mailKey: opened.mailKey };
}

/** Returns the Message-ID of a recipient's email, which is the same for repeated attempts. */
export const messageIdOf = (recipient: { id: string; mailing_id: string; host: string }) =>
  `<${recipient.id}.${recipient.mailing_id}@${recipient.host}>`;

/** Returns the recipient's ID in a Message-ID, with or without angle brackets; null for other Message-IDs. */
export const readMessageId = (text: string): string | null =>
  /^<?([a-z0-9]{15})\.[a-z0-9]{15}@/.exec(text.trim())?.[1] ?? null;
