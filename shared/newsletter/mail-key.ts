import { createHmac } from 'node:crypto';
import { sql } from 'kysely';
import type { RandomBytes } from '../contract/record-id.ts';
import type { Database } from '../db/config.ts';
import type { SecretBox } from '../secret-box.ts';

export interface MailKeyDeps {
  database: Pick<Database, 'em'>;
  secrets: SecretBox;
  randomBytes: RandomBytes;
}

/** The key of a site by which what stands in its mails is told from what somebody made up; made when it is first asked for. */
export async function getMailKey({ database, secrets, randomBytes }: MailKeyDeps, siteId: string) {
  const owner = `${siteId}/mail`;
  const made = secrets.seal(Buffer.from(randomBytes(32)).toString('base64url'), owner);
  const db = database.em.fork().getKysely();
  await sql`insert into mail_keys (site_id, key_sealed) values (${siteId}, ${made}) on conflict (site_id) do nothing`.execute(
    db,
  );
  const { rows } = await sql<{ key_sealed: string }>`
    select key_sealed from mail_keys where site_id = ${siteId}`.execute(db);
  return secrets.open(rows[0]?.key_sealed ?? made, owner);
}

interface Subscriber {
  siteId: string;
  subscriberId: string;
}

/** The token by which a subscriber of a site unsubscribes. It never ends. */
export const unsubscribeToken = (key: string, { siteId, subscriberId }: Subscriber) =>
  `${siteId}${subscriberId}${markOf(key, { siteId, subscriberId })}`;

const markOf = (key: string, { siteId, subscriberId }: Subscriber) =>
  createHmac('sha256', key).update(`unsubscribe ${siteId} ${subscriberId}`).digest('base64url').slice(0, 32);

/** By what a site knows an address that is never written to again, once nothing else of its reader is left. */
export const suppressionHash = (key: string, email: string) =>
  createHmac('sha256', key).update(`suppression ${email.toLowerCase()}`).digest('base64url');
