import { hash } from 'node:crypto';
import { base62, type RandomBytes, randomText } from '../../shared/contract/record-id.ts';

const markLength = 5;

/**
 * What the tokens of a site begin with: the first 48 bits of the SHA-256 of its id, modulo 62^5, in base62 digits. A
 * router can tell by it where the site's database is, without asking. Tokens that are older don't have it.
 */
export function siteMark(siteId: string): string {
  return base62Digits(Number.parseInt(hash('sha256', siteId).slice(0, 12), 16), markLength);
}

/** The last digits of a number. */
export function base62Digits(number: number, length: number): string {
  if (length === 0) return '';
  return base62Digits(Math.floor(number / 62), length - 1) + base62.charAt(number % 62);
}

/** So many base62 characters for a new token of the site: its mark, the others at random. */
export const markedText = (siteId: string, length: number, randomBytes: RandomBytes) =>
  siteMark(siteId) + randomText(base62, length - markLength, randomBytes);

/** The mark of the token that a request brings, whether or not there is such a token: sites are told apart by it, not known. */
export const siteMarkIn = (authorization: string | undefined): string | undefined =>
  /^Bearer svc_(?:oauth_)?[a-z]+_(\w{5})/.exec(authorization ?? '')?.[1];
