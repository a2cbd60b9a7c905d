import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import type { WebhookTables } from '../db/webhook-subscriptions.ts';
import { mailKeyOwner } from '../newsletter/mail-key.ts';
import { openedOrNull, type SecretBox } from '../secret-box.ts';
import { secretOwner } from './deliver.ts';

interface Start {
  database: Database;
  secrets: SecretBox;
  logger: { warn(message: string): void };
}

/** Says when a process starts with another SECRET_KEY than webhooks and newsletters were: it can't sign what it is to send. */
export async function warnOfOtherKey(start: Start): Promise<void> {
  await warnOfWebhooks(start);
  await warnOfNewsletters(start);
}

async function warnOfWebhooks({ database, secrets, logger }: Start) {
  const any = await database.em
    .getKysely<WebhookTables>()
    .selectFrom('webhook_subscriptions')
    .select(['site_id', 'id', 'secret_sealed'])
    .where('active', '=', true)
    .orderBy('updated', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (any && openedOrNull(() => secrets.open(any.secret_sealed, secretOwner(any.site_id, any.id))) === null)
    logger.warn(
      'SECRET_KEY is another one than the secrets of webhooks are sealed with: none is sent until this process has the former one',
    );
}

async function warnOfNewsletters({ database, secrets, logger }: Start) {
  const { rows } = await sql<{ site_id: string; key_sealed: string }>`
    select site_id, key_sealed from mail_keys`.execute(database.em.getKysely());
  const shut = rows.filter(
    ({ site_id, key_sealed }) => openedOrNull(() => secrets.open(key_sealed, mailKeyOwner(site_id))) === null,
  );
  const [first] = shut;
  if (first)
    logger.warn(
      `SECRET_KEY is another one than the keys of newsletters of ${shut.length} sites are sealed with, such as of ${first.site_id}: these mail nothing, and links in what they have mailed fail, until this process has the former one`,
    );
}
