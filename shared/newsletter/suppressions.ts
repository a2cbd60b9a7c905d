import { type Kysely, sql } from 'kysely';
import type { SuppressionReason } from '../contract/features/mail-reports.ts';
import { findMailKey, type MailKeyStore, suppressionHash } from './mail-key.ts';

interface SuppressedAddress {
  email_hash: string;
  reason: SuppressionReason;
}

/**
 * Returns the suppression reasons of addresses, keyed by the address as given. Addresses that are not suppressed are
 * missing. Throws `SealedSecretError` if the site's mail key was encrypted with another `SECRET_KEY`.
 */
export async function findSuppressed(
  deps: MailKeyStore,
  siteId: string,
  emails: readonly string[],
): Promise<ReadonlyMap<string, SuppressionReason>> {
  const key = await findMailKey(deps, siteId);
  if (key === null) return new Map();
  const byHash = new Map(emails.map((email) => [suppressionHash(key, email), email]));
  const { rows } = await sql<SuppressedAddress>`
    select email_hash, reason from suppressions
    where site_id = ${siteId} and email_hash = any(${[...byHash.keys()]}::text[])`.execute(
    deps.database.em.fork().getKysely(),
  );
  return new Map(rows.map(({ email_hash, reason }) => [byHash.get(email_hash) ?? '', reason]));
}

interface Suppression extends SuppressedAddress {
  /** Start of the suppression. */
  created: Date;
}

/**
 * Suppresses addresses, each given once. The first reason stays, except that a complaint replaces other reasons,
 * because it is permanent.
 */
export async function suppress(
  db: Kysely<unknown>,
  siteId: string,
  addresses: readonly Suppression[],
): Promise<void> {
  if (addresses.length === 0) return;
  await sql`
    insert into suppressions (site_id, email_hash, reason, created)
    select ${siteId}, a.email_hash, a.reason, a.created
    from json_to_recordset(${JSON.stringify(addresses)}::json) as a(email_hash text, reason text, created timestamptz) order by 2
    on conflict (site_id, email_hash) do update set reason = excluded.reason, created = excluded.created
      where excluded.reason = 'complained' and suppressions.reason <> 'complained'`.execute(db);
}
