import { sql } from 'kysely';
import { findMailKey, type MailKeyPlace, suppressionHash } from './mail-key.ts';

/** Those of the addresses that the site never writes to again, as they were given. */
export async function findSuppressed(
  deps: MailKeyPlace,
  siteId: string,
  emails: readonly string[],
): Promise<ReadonlySet<string>> {
  const key = await findMailKey(deps, siteId);
  if (key === null) return new Set();
  const hashes = emails.map((email) => suppressionHash(key, email));
  const { rows } = await sql<{ email_hash: string }>`
    select email_hash from suppressions where site_id = ${siteId} and email_hash = any(${hashes}::text[])`.execute(
    deps.database.em.fork().getKysely(),
  );
  const suppressed = new Set(rows.map(({ email_hash }) => email_hash));
  return new Set(emails.filter((_, at) => suppressed.has(hashes[at] ?? '')));
}
