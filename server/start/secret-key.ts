import { randomBytes } from 'node:crypto';
import { checkDatabase } from '../../shared/db/check-database.ts';
import { SessionClient } from '../../shared/db/session.ts';
import { lastingSecrets, selectSealed } from '../../shared/lasting-secrets.ts';
import { readSecret, storeSecret } from './secret-file.ts';

/**
 * The secret key in the file, made at first. Throws with how to mend it when the file is away, and the database has what was
 * sealed with the key that was in it: another key would open nothing of that.
 */
export async function ensureSecretKey(file: string, databaseUrl: string): Promise<string> {
  if ((await readSecret(file)) === null && (await hasSealed(databaseUrl)))
    throw new Error(
      `Secret key missing: ${file} does not exist, but the database contains secrets of webhooks, newsletters or authenticator apps that were encrypted with it. Restore the file, for example from a backup, or set SECRET_KEY. If the key is lost, write a new long secret to the file and rotate the secret of each webhook. Sites that have sent newsletters cannot send more, and people sign in with passkeys or recovery codes instead of authenticator codes.`,
    );
  return storeSecret(file, randomBytes(32).toString('base64url'));
}

/** Whether there is anything that needs the key for longer than its own short life. */
async function hasSealed(connectionString: string): Promise<boolean> {
  // What is doubtful of it is said when it is opened for work.
  await checkDatabase(connectionString, { warn() {} });
  const client = new SessionClient({ connectionString, application_name: 'start' });
  await client.connect();
  try {
    for (const secret of lastingSecrets) {
      const { rows } = await client.query<{ exists: boolean }>(
        `select to_regclass('${secret.table}') is not null as exists`,
      );
      const any = `${selectSealed(secret)} limit 1`;
      if (rows[0]?.exists && (await client.query(any)).rows.length > 0) return true;
    }
    return false;
  } finally {
    await client.end();
  }
}
