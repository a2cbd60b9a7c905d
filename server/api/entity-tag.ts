import { hash } from 'node:crypto';

/** Creates a strong entity tag of a body: its hash, after the revision if the body has one record. */
export function entityTag(body: Buffer | string, revision?: number): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 22);
  return revision === undefined ? `"${digest}"` : `"${revision}-${digest}"`;
}

/** True if `If-None-Match` names `etag`, by weak comparison or `*` (RFC 9110, 13.1.2). */
export const hasTag = (header: string, etag: string) =>
  header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/** Condition of `If-Match`: any existing revision, or one of these. */
export type IfMatch = 'any' | ReadonlySet<number>;

/**
 * Parses `If-Match` to the set of the revisions in its tags, or to `any` for `*`. Undefined without the header. Weak and
 * foreign tags match nothing.
 */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  return new Set(header.split(',').flatMap((tag) => revisionIn(tag.trim())));
}

export const matches = (wanted: IfMatch | undefined, revision: number) =>
  wanted === undefined || wanted === 'any' || wanted.has(revision);

/** Our tags contain no commas, so parts of a foreign tag with commas do not match this form. */
const ours = /^"([1-9]\d{0,14})-[\w-]*"$/;

function revisionIn(tag: string): number[] {
  const [, revision] = ours.exec(tag) ?? [];
  return revision === undefined ? [] : [Number(revision)];
}
