import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Command } from 'commander';
import { sql } from 'kysely';
import type { Database, Transaction } from '../../shared/db/config.ts';
import {
  decryptColumn,
  encryptedColumns,
  type SealedRow,
  selectSealed,
} from '../../shared/runtime/encrypted-columns.ts';
import { createSecretBox, type SecretBox } from '../../shared/runtime/secret-box.ts';
import { secretKey } from '../../shared/runtime/settings/variables.ts';
import { opsSettings } from '../start/env.ts';
import { readSecret, replaceSecret } from '../start/secret-file.ts';
import { checked, type Operate } from './operator-session.ts';

export function addSecretKey(program: Command, { operate, dataDir }: { operate: Operate; dataDir: string }) {
  program
    .command('secret-key')
    .description('key that encrypts stored secrets')
    .command('change <file>')
    .description(
      'encrypt all stored secrets with the key in the file; stop server and worker first; safe to run again',
    )
    .action((file: string) =>
      operate.run(async ({ database, secrets }) => {
        const next = await readSecret(file);
        if (next === null)
          throw new Error(`${file} does not exist. Generate a key first: openssl rand -base64 32 > ${file}`);
        const ownFile = opsSettings().SECRET_KEY === undefined ? join(dataDir, 'secret-key') : null;
        if (ownFile) await refuseWhileServing(database);
        const keys = { from: secrets, to: createSecretBox(checked(secretKey, next, file), randomBytes) };
        const { sealed, shut } = await database.em.fork().transactional((em) => sealAnew(em, keys));
        console.log(`Encrypted ${sealed} ${sealed === 1 ? 'secret' : 'secrets'} with the key in ${file}.`);
        if (shut > 0)
          console.log(`${shut} secrets cannot be decrypted with either key; they were left unchanged.`);
        if (ownFile) {
          await replaceSecret(ownFile, next);
          console.log(`Stored the new key in ${ownFile}.`);
        } else
          console.log(
            'Set SECRET_KEY to the new key for server and worker, then start them. Create a new backup.',
          );
      }),
    );
}

/** Throws while servers or workers run. They would seal with the old key, which is lost when the file is replaced. */
async function refuseWhileServing({ em }: Database) {
  const { rows } = await sql<{ name: string }>`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and application_name in ('server', 'worker')`.execute(em.getKysely());
  if (rows.length > 0)
    throw new Error(
      `The current key is in use by running processes (${rows.map(({ name }) => name).join(', ')}): stop them, then run the command again. Nothing was changed.`,
    );
}

/**
 * Seals all secrets with the new key. Returns the number of these, and of those that neither key decrypts. Throws if
 * the current key decrypts none.
 */
async function sealAnew(em: Transaction, { from, to }: { from: SecretBox; to: SecretBox }) {
  const db = em.getKysely();
  const counted = { sealed: 0, shut: 0 };
  for (const encrypted of encryptedColumns) {
    const { table, column, id, ownerOf } = encrypted;
    const { rows } = await sql.raw<SealedRow>(`${selectSealed(encrypted)} for update`).execute(db);
    for (const row of rows) {
      const isDone = decryptColumn(to, encrypted, row) !== null;
      const secret = isDone ? null : decryptColumn(from, encrypted, row);
      if (isDone || secret !== null) counted.sealed += 1;
      else counted.shut += 1;
      if (secret !== null)
        await sql`
          update ${sql.table(table)} set ${sql.ref(column)} = ${to.seal(secret, ownerOf(...row.id))}
          where ${sql.join(
            id.map((name, at) => sql`${sql.ref(name)} = ${row.id[at]}`),
            sql` and `,
          )}`.execute(db);
    }
  }
  if (counted.sealed === 0 && counted.shut > 0)
    throw new Error(
      'The current key cannot decrypt any stored secret: set SECRET_KEY to the key of the servers. Nothing was changed.',
    );
  return counted;
}
