import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { RandomBytes } from '../contract/record-id.ts';
import type { Database } from '../db/config.ts';
import type { SecretBox } from '../runtime/secret-box.ts';

export interface MailKeyStore {
  database: Pick<Database, 'em'>;
  secrets: SecretBox;
}

export interface MailKeyDeps extends MailKeyStore {
  randomBytes: RandomBytes;
}

/** Returns the context that the encryption of a site's mail key is bound to. */
export const mailKeyOwner = (siteId: string) => `${siteId}/mail`;

/**
 * Returns the key that authenticates tokens and bounce addresses in a site's emails. It is created on first use.
 * Throws `SealedSecretError` if it was encrypted with another `SECRET_KEY`.
 */
export async function getMailKey(deps: MailKeyDeps, siteId: string): Promise<string> {
  const made = Buffer.from(deps.randomBytes(32)).toString('base64url');
  await keepMailKey(deps, siteId, made);
  return (await findMailKey(deps, siteId)) ?? made;
}

/**
 * Encrypts and stores the key that authenticates tokens and bounce addresses in a site's emails. Does nothing if the site has
 * one.
 */
export async function keepMailKey({ database, secrets }: MailKeyStore, siteId: string, key: string) {
  const sealed = secrets.seal(key, mailKeyOwner(siteId));
  await sql`insert into mail_keys (site_id, key_sealed) values (${siteId}, ${sealed}) on conflict (site_id) do nothing`.execute(
    database.em.fork().getKysely(),
  );
}

/**
 * Returns the mail key of a site; null if it has signed nothing and suppressed no address yet. Throws
 * `SealedSecretError` if it was encrypted with another `SECRET_KEY`.
 */
export async function findMailKey(
  { database, secrets }: MailKeyStore,
  siteId: string,
): Promise<string | null> {
  const { rows } = await sql<{ key_sealed: string }>`
    select key_sealed from mail_keys where site_id = ${siteId}`.execute(database.em.fork().getKysely());
  return rows[0] ? secrets.open(rows[0].key_sealed, mailKeyOwner(siteId)) : null;
}

/** Returns the hash that identifies a suppressed address. It remains after all other data of the reader is deleted. */
export const suppressionHash = (key: string, email: string) =>
  createHmac('sha256', key).update(`suppression ${email.toLowerCase()}`).digest('base64url');
