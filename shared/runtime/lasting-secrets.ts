import { sql } from 'kysely';
import type { Database } from '../db/config.ts';
import { mailKeyOwner } from '../newsletter/mail-key.ts';
import { secretOwner } from '../webhooks/index.ts';
import { openedOrNull, type SecretBox } from './secret-box.ts';

/** A column of texts that SECRET_KEY seals. */
interface LastingSecret {
  table: string;
  column: string;
  /** The columns that tell rows apart. */
  id: readonly [string, ...string[]];
  /** Whom the text of a row is sealed for. */
  ownerOf(...id: readonly string[]): string;
  /** What people call them. */
  what: string;
  /** What becomes of it while they don't open, and SQL for whose: of the others nobody needs theirs at once. */
  shut?: { means: string; where: string };
}

const ofWebhooks = {
  table: 'webhook_subscriptions',
  id: ['site_id', 'id'],
  ownerOf: (siteId = '', id = '') => secretOwner(siteId, id),
  what: 'webhook secrets',
} as const;

/** Whom the secret of an app is sealed for. */
export const totpOwner = (personId: string) => JSON.stringify(['totp', personId]);

/** What is sealed, and has to open for as long as it is there. What is sealed for a day at most is not among it. */
export const lastingSecrets: readonly LastingSecret[] = [
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

/** SQL: what is sealed of it, as `SealedRow`. */
export const selectSealed = ({ table, column, id }: LastingSecret, where = 'true') =>
  `select array[${id.join(', ')}] as id, ${column} as sealed from ${table} where ${column} is not null and ${where}`;

/** Null for what was altered, or sealed with another key. */
export const openLasting = (box: SecretBox, { ownerOf }: LastingSecret, { id, sealed }: SealedRow) =>
  openedOrNull(() => box.open(sealed, ownerOf(...id)));

/** Says when a process starts with another SECRET_KEY than lasting secrets were sealed with: it can't do what needs them. */
export async function warnOfOtherKey({
  database,
  secrets,
  logger,
}: {
  database: Database;
  secrets: SecretBox;
  logger: { warn(message: string): void };
}): Promise<void> {
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
