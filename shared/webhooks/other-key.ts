import type { Database } from '../db/config.ts';
import type { WebhookTables } from '../db/webhook-subscriptions.ts';
import { openedOrNull, type SecretBox } from '../secret-box.ts';
import { secretOwner } from './deliver.ts';

interface Start {
  database: Database;
  secrets: SecretBox;
  logger: { warn(message: string): void };
}

/** Says when a process starts with another SECRET_KEY than webhooks were made with: it can't sign what it is to send. */
export async function warnOfOtherKey({ database, secrets, logger }: Start): Promise<void> {
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
