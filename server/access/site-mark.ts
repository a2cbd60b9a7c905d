import { hash } from 'node:crypto';
import { base62, type RandomBytes, randomText } from '../../shared/contract/record-id.ts';

const markLength = 5;

/**
 * What the tokens of a site begin with: the first 48 bits of the SHA-256 of its id, modulo 62^5, in base62 digits. A
 * router can tell by it where the site's database is, without asking. Tokens that are older don't have it.
 */
export function siteMark(siteId: string): string {
  let rest = Number.parseInt(hash('sha256', siteId).slice(0, 12), 16) % base62.length ** markLength;
  let digits = '';
  while (digits.length < markLength) {
    digits = base62.charAt(rest % base62.length) + digits;
    rest = Math.floor(rest / base62.length);
  }
  return digits;
}

/** So many base62 characters for a new token of the site: its mark, the others at random. */
export const markedText = (siteId: string, length: number, randomBytes: RandomBytes) =>
  siteMark(siteId) + randomText(base62, length - markLength, randomBytes);

/** The mark of the token that a request brings, whether or not there is such a token: sites are told apart by it, not known. */
export const siteMarkIn = (authorization: string | undefined): string | undefined =>
  /^Bearer svc_(?:oauth_)?[a-z]+_(\w{5})/.exec(authorization ?? '')?.[1];
