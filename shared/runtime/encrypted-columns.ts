import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import { mailKeyOwner } from '../newsletter/mail-key.ts';
import { connectionOwner } from '../selling/connection.ts';
import { secretOwner } from '../webhooks/index.ts';
import { openedOrNull, type SecretBox } from './secret-box.ts';

/** Column of texts that are encrypted with SECRET_KEY. */
interface EncryptedColumn {
  table: string;
  column: string;
  /** Columns that identify a row. */
  id: readonly [string, ...string[]];
  /** Returns the owner that the text of a row is sealed for. */
  ownerOf(...id: readonly string[]): string;
  /** Name of the encrypted texts in messages, in the plural. */
  what: string;
  /**
   * Consequence while a text cannot be decrypted, and an SQL condition for the rows that it affects. Omitted if
   * decryption is never urgent.
   */
  shut?: { means: string; where: string };
}

const ofWebhooks = {
  table: 'webhook_subscriptions',
  id: ['site_id', 'id'],
  ownerOf: (siteId = '', id = '') => secretOwner(siteId, id),
  what: 'webhook secrets',
} as const;

const ofConnections = {
  table: 'payment_connections',
  id: ['site_id'],
  ownerOf: (siteId = '') => connectionOwner(siteId),
  what: 'keys of payment providers',
} as const;

/** Returns the context that the encryption of an authenticator app's secret is bound to. */
export const totpOwner = (personId: string) => JSON.stringify(['totp', personId]);

/** Columns that are encrypted and never expire. Texts that are sealed for at most a day are not listed. */
export const encryptedColumns: readonly EncryptedColumn[] = [
  {
    ...{ ...ofConnections, column: 'key_sealed' },
    shut: { means: 'These sites cannot take payments', where: 'true' },
  },
  { ...ofConnections, column: 'hook_secret_sealed' },
  { ...ofWebhooks, column: 'secret_sealed', shut: { means: 'Their webhooks are not sent', where: 'active' } },
  { ...ofWebhooks, column: 'previous_secret_sealed' },
  {
    ...{ table: 'mail_keys', column: 'key_sealed', id: ['site_id'], what: 'newsletter keys' },
    ownerOf: (siteId = '') => mailKeyOwner(siteId),
    shut: {
      means: 'These sites cannot send newsletters, and links in newsletters that they sent fail',
      where: 'true',
    },
  },
  {
    ...{
      table: 'factors',
      column: 'secret_sealed',
      id: ['person_id', 'id'],
      what: 'authenticator app secrets',
    },
    ownerOf: (personId = '') => totpOwner(personId),
    shut: { means: 'These people cannot sign in with authenticator codes', where: 'true' },
  },
];

export interface SealedRow {
  id: string[];
  sealed: string;
}

/** SQL that selects the encrypted values of a column, as `SealedRow`. */
export const selectSealed = ({ table, column, id }: EncryptedColumn, where = 'true') =>
  `select array[${id.join(', ')}] as id, ${column} as sealed from ${table} where ${column} is not null and ${where}`;

/** Decrypts a value. Null if it was altered, or encrypted with another key. */
export const decryptColumn = (box: SecretBox, { ownerOf }: EncryptedColumn, { id, sealed }: SealedRow) =>
  openedOrNull(() => box.open(sealed, ownerOf(...id)));

/**
 * Logs a warning at the start of a process if SECRET_KEY does not decrypt the stored secrets. It checks at most 1,000
 * rows per column.
 */
export async function checkSecretKey({
  database,
  secrets,
  logger,
}: {
  database: Database;
  secrets: SecretBox;
  logger: { warn(message: string): void };
}): Promise<void> {
  for (const secret of encryptedColumns) {
    if (!secret.shut) continue;
    const { rows } = await sql
      .raw<SealedRow>(`${selectSealed(secret, secret.shut.where)} limit 1000`)
      .execute(database.em.getKysely());
    const shut = rows.filter((row) => decryptColumn(secrets, secret, row) === null);
    if (shut[0])
      logger.warn(
        `SECRET_KEY cannot decrypt ${shut.length} of ${rows.length} ${secret.what} (for example ${secret.id[0].replace('_id', '')} ${shut[0].id[0]}). ${secret.shut.means} until the previous key is restored.`,
      );
  }
}
