import { sql } from 'kysely';
import type { SuppressionReason } from '../contract/mailings.ts';
import { findMailKey, type MailKeyPlace, suppressionHash } from './mail-key.ts';

interface Found {
  email_hash: string;
  reason: SuppressionReason;
}

/** Why the site never writes to some of the addresses again, by these as they were given. */
export async function findSuppressed(
  deps: MailKeyPlace,
  siteId: string,
  emails: readonly string[],
): Promise<ReadonlyMap<string, SuppressionReason>> {
  const key = await findMailKey(deps, siteId);
  if (key === null) return new Map();
  const byHash = new Map(emails.map((email) => [suppressionHash(key, email), email]));
  const { rows } = await sql<Found>`
    select email_hash, reason from suppressions
    where site_id = ${siteId} and email_hash = any(${[...byHash.keys()]}::text[])`.execute(
    deps.database.em.fork().getKysely(),
  );
  return new Map(rows.map(({ email_hash, reason }) => [byHash.get(email_hash) ?? '', reason]));
}
