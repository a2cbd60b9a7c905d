import { sql } from 'kysely';
import type { Database } from './db/config.ts';
import { lastingSecrets, openLasting, type SealedRow, selectSealed } from './lasting-secrets.ts';
import type { SecretBox } from './secret-box.ts';

interface Start {
  database: Database;
  secrets: SecretBox;
  logger: { warn(message: string): void };
}

/** Says when a process starts with another SECRET_KEY than lasting secrets were sealed with: it can't do what needs them. */
export async function warnOfOtherKey({ database, secrets, logger }: Start): Promise<void> {
  for (const secret of lastingSecrets) {
    if (!secret.shut) continue;
    const { rows } = await sql
      .raw<SealedRow>(`${selectSealed(secret, secret.shut.where)} limit 1000`)
      .execute(database.em.getKysely());
    const shut = rows.filter((row) => openLasting(secrets, secret, row) === null);
    if (shut[0])
      logger.warn(
        `SECRET_KEY cannot decrypt ${shut.length} of ${rows.length} ${secret.what} (for example ${secret.id[0].replace('_id', '')} ${shut[0].id[0]}). ${secret.shut.means} until the previous key is restored.`,
      );
  }
}
