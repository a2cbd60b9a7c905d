import { timingSafeEqual } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import { type SignedFile, signedHours } from '../contract/features/media.ts';
import type { SecretBox } from '../runtime/secret-box.ts';
import type { MediaId } from './store.ts';

/**
 * Returns the query, without a question mark, that opens a protected file and its renditions for `signedHours` hours from
 * `now` on.
 */
export function accessTo(secrets: SecretBox, file: MediaId, now: Date): string {
  const until = String(Math.floor(now.getTime() / 1_000) + signedHours * 3_600);
  return `until=${until}&sig=${signatureOf(secrets, file, until)}`;
}

/** Returns the queries that open protected files of a site, given by ID, for `signedHours` hours from `now` on. */
export const signedFiles = (
  secrets: SecretBox,
  siteId: string,
  ids: readonly string[],
  now: Date,
): SignedFile[] => ids.map((id) => ({ id, query: accessTo(secrets, { site_id: siteId, id }, now) }));

/** True if the query of an address opens a protected file: its signature is right, and its time has not passed. */
export function opensFile(
  secrets: SecretBox,
  file: MediaId,
  { until = '', sig = '' }: Readonly<Record<string, string>>,
  now: Date,
): boolean {
  if (!/^[0-9]{1,12}$/.test(until) || Number(until) * 1_000 <= now.getTime()) return false;
  const [given, expected] = [Buffer.from(sig), Buffer.from(signatureOf(secrets, file, until))];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * Returns the signature of a file and its end time. The time is signed as it was written, so that no other text of the same
 * time opens the file.
 */
const signatureOf = (secrets: SecretBox, { site_id, id }: MediaId, until: string) =>
  secrets.sign(`${site_id}/${id}/${until}`);

/** SQL expression for the IDs of a site's protected files whose addresses occur in a text. */
export const protectedFilesIn = (siteId: string, text: RawBuilder<unknown>): RawBuilder<string[]> => sql`
  array(select id from media where site_id = ${siteId} and protected
    and id = any (array(select found[1] from regexp_matches(${text}, '/media/([a-z0-9]{15})/', 'g') found)))`;
