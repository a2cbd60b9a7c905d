import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { RandomBytes } from '../contract/record-id.ts';
import type { Database } from '../db/config.ts';
import type { SecretBox } from '../runtime/secret-box.ts';

export interface MailKeyPlace {
  database: Pick<Database, 'em'>;
  secrets: SecretBox;
}

export interface MailKeyDeps extends MailKeyPlace {
  randomBytes: RandomBytes;
}

/** Whose a sealed key of mail is. */
export const mailKeyOwner = (siteId: string) => `${siteId}/mail`;

/** The key of a site by which what stands in its mails is told from what somebody made up; made when it is first asked for. */
export async function getMailKey(deps: MailKeyDeps, siteId: string): Promise<string> {
  const made = Buffer.from(deps.randomBytes(32)).toString('base64url');
  await keepMailKey(deps, siteId, made);
  return (await findMailKey(deps, siteId)) ?? made;
}

/** Keeps a key of a site that has none. */
export async function keepMailKey({ database, secrets }: MailKeyPlace, siteId: string, key: string) {
  const sealed = secrets.seal(key, mailKeyOwner(siteId));
  await sql`insert into mail_keys (site_id, key_sealed) values (${siteId}, ${sealed}) on conflict (site_id) do nothing`.execute(
    database.em.fork().getKysely(),
  );
}

/** The same; null for a site that has signed nothing so far, and suppressed nobody. */
export async function findMailKey(
  { database, secrets }: MailKeyPlace,
  siteId: string,
): Promise<string | null> {
  const { rows } = await sql<{ key_sealed: string }>`
    select key_sealed from mail_keys where site_id = ${siteId}`.execute(database.em.fork().getKysely());
  return rows[0] ? secrets.open(rows[0].key_sealed, mailKeyOwner(siteId)) : null;
}

/** By what a site knows an address that is never written to again, once nothing else of its reader is left. */
export const suppressionHash = (key: string, email: string) =>
  createHmac('sha256', key).update(`suppression ${email.toLowerCase()}`).digest('base64url');
