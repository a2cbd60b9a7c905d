import { createHash } from 'node:crypto';

/** Strong entity tag of a body: its hash, behind the revision of the one record that it tells of. */
export function entityTag(body: Buffer | string, revision?: number): string {
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return revision === undefined ? `"${hash}"` : `"${revision}-${hash}"`;
}

/** Whether an `If-None-Match` names `etag`: weak comparison, or any at all (RFC 9110, 13.1.2). */
export const hasTag = (header: string, etag: string) =>
  header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);
