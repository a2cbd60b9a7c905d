import { hash } from 'node:crypto';

/** Strong entity tag of a body: its hash, behind the revision of the one record that it tells of. */
export function entityTag(body: Buffer | string, revision?: number): string {
  const digest = hash('sha256', body, 'base64url').slice(0, 22);
  return revision === undefined ? `"${digest}"` : `"${revision}-${digest}"`;
}

/** Whether an `If-None-Match` names `etag`: weak comparison, or any at all (RFC 9110, 13.1.2). */
export const hasTag = (header: string, etag: string) =>
  header.split(',').some((tag) => tag.trim() === '*' || tag.trim().replace(/^W\//, '') === etag);

/** What `If-Match` asks for: any revision that there is, or one of these. */
export type IfMatch = 'any' | ReadonlySet<number>;

/** What `If-Match` asks of a record's revision; undefined without the header. A tag that is weak, or none of ours, matches nothing. */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return 'any';
  return new Set(header.split(',').flatMap((tag) => revisionIn(tag.trim())));
}

export const matches = (wanted: IfMatch | undefined, revision: number) =>
  wanted === undefined || wanted === 'any' || wanted.has(revision);

/** Tags may hold commas, but ours don't: parts of another's tag are none of ours either. */
const ours = /^"([1-9]\d{0,14})-[\w-]*"$/;

function revisionIn(tag: string): number[] {
  const [, revision] = ours.exec(tag) ?? [];
  return revision === undefined ? [] : [Number(revision)];
}
