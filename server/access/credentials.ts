import { crc32 } from 'node:zlib';
import type { RandomBytes } from '../../shared/contract/record-id.ts';
import { ApiError } from '../kernel/api-error.ts';
import { base62Digits, markedText } from './site-mark.ts';

const marker = 'svc_live_';
const shape = /^svc_live_[0-9A-Za-z]{38}$/;
const checkDigits = 6;

/** A new API key of the site: `svc_live_`, the site's mark and 27 characters at random, 6 of the checksum of both. */
export function newKeySecret(siteId: string, randomBytes: RandomBytes): string {
  const body = markedText(siteId, 32, randomBytes);
  return marker + body + checksum(body);
}

/** Whether `text` can be a key at all, so that a typo costs no query. */
export function isKeySecret(text: string): boolean {
  const body = text.slice(marker.length, -checkDigits);
  return shape.test(text) && text.endsWith(checksum(body));
}

/** What lists show of a key. */
export const keyPrefix = (secret: string) => secret.slice(0, marker.length + 12);

const checksum = (body: string) => base62Digits(crc32(body), checkDigits);

/** Kinds of credentials, by how they begin. */
const credentials = {
  svc_live_: 'an API key',
  svc_oauth_access_: "a connected assistant's token",
  svc_owner_: "an owner's session token",
  svc_member_: "a member's session token",
  svc_preview_: "a preview's token",
} as const;

type Marker = keyof typeof credentials;

/** The credential of `Authorization: Bearer …`; throws `unauthorized` when there is none, or one of another kind. */
export function bearerToken(authorization = '', wanted: Marker): string {
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1];
  if (!token) throw new ApiError('unauthorized');
  for (const [marker, kind] of Object.entries(credentials)) {
    if (marker !== wanted && token.startsWith(marker)) {
      throw new ApiError('unauthorized', `this is ${kind}; this path needs ${credentials[wanted]}`);
    }
  }
  return token;
}
