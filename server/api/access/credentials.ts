import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { base62, type RandomBytes, randomText } from '../../../shared/contract/record-id.ts';
import { ApiError } from '../api-error.ts';

const keyMarker = 'svc_live_';
const keyShape = /^svc_live_[0-9A-Za-z]{38}$/;
const checkDigits = 6;

/** Creates an API key of a site: `svc_live_`, the site's prefix, 27 random characters, and a checksum of 6 characters. */
export function newKeySecret(siteId: string, randomBytes: RandomBytes): string {
  const body = prefixedText(siteId, 32, randomBytes);
  return keyMarker + body + checksum(body);
}

/** True if a text has the form and checksum of an API key. A key with a typo thus costs no query. */
export function isKeySecret(text: string): boolean {
  const body = text.slice(keyMarker.length, -checkDigits);
  return keyShape.test(text) && text.endsWith(checksum(body));
}

/** Returns the beginning of a key that lists show: the marker and 12 characters. */
export const keyPrefix = (secret: string) => secret.slice(0, keyMarker.length + 12);

const checksum = (body: string) => base62Digits(crc32(body), checkDigits);

/** Prefixes of a connected assistant's codes and tokens. */
export const assistantMarkers = {
  code: 'svc_oauth_code_',
  access: 'svc_oauth_access_',
  refresh: 'svc_oauth_refresh_',
} as const;

const credentials = {
  [keyMarker]: 'an API key',
  [assistantMarkers.access]: "a connected assistant's token",
  svc_owner_: "an owner's session token",
  svc_member_: "a member's session token",
  svc_preview_: "a preview link's token",
} as const;

type Marker = keyof typeof credentials;

type TokenMarker =
  | Exclude<Marker, typeof keyMarker>
  | (typeof assistantMarkers)[keyof typeof assistantMarkers];

/** Creates a token of a site: the marker, the 5 characters of `siteTokenPrefix` and 38 random ones, without separators. */
export const newToken = (marker: TokenMarker, siteId: string, randomBytes: RandomBytes) =>
  marker + prefixedText(siteId, 43, randomBytes);

export const isToken = (marker: TokenMarker, text: string) =>
  text.startsWith(marker) && /^[0-9A-Za-z]{43}$/.test(text.slice(marker.length));

/**
 * Returns the credential of `Authorization: Bearer …`. A credential without a known marker is returned too. Throws
 * `unauthorized` if it is missing, or has the marker of another kind.
 */
export function bearerToken(authorization = '', wanted: Marker): string {
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('unauthorized');
  for (const [marker, kind] of Object.entries(credentials)) {
    if (marker !== wanted && token.startsWith(marker)) {
      throw new ApiError(
        'unauthorized',
        `the Authorization header contains ${kind}; this path requires ${credentials[wanted]}`,
      );
    }
  }
  return token;
}

const siteTokenPrefixLength = 5;

/**
 * Computes the prefix of a site's tokens: the first 48 bits of the SHA-256 of its id, modulo 62^5, in base62 digits. A
 * router can find the site's database by it without a query. Older tokens do not have it.
 */
export function siteTokenPrefix(siteId: string): string {
  return base62Digits(Number.parseInt(hash('sha256', siteId).slice(0, 12), 16), siteTokenPrefixLength);
}

function base62Digits(number: number, length: number): string {
  if (length === 0) return '';
  return base62Digits(Math.floor(number / 62), length - 1) + base62.charAt(number % 62);
}

/** Returns `length` base62 characters for a new token: the site's prefix, followed by random characters. */
export const prefixedText = (siteId: string, length: number, randomBytes: RandomBytes) =>
  siteTokenPrefix(siteId) + randomText(base62, length - siteTokenPrefixLength, randomBytes);

/**
 * Reads the site prefix of a request's token, without checking that the token exists; undefined without a token of
 * this service. It distinguishes sites but does not identify them.
 */
export const findSiteTokenPrefix = (authorization: string | undefined): string | undefined =>
  /^Bearer svc_(?:oauth_)?[a-z]+_(\w{5})/.exec(authorization ?? '')?.[1];
