import { sql } from 'kysely';
import type { StoreDeps } from '../../kernel/deps.ts';

/** Gives the salt of a day, the same in every process. The latest is remembered, so a day costs one query. */
export function createSaltSource({ database, randomBytes }: StoreDeps) {
  let latest: { day: string; salt: Promise<string> } | undefined;
  return (day: string): Promise<string> => {
    if (latest?.day !== day) {
      const salt = getSalt(day);
      latest = { day, salt };
      // A failure is not remembered: the next view asks again.
      salt.catch(() => {
        if (latest?.salt === salt) latest = undefined;
      });
    }
    return latest.salt;
  };

  async function getSalt(day: string): Promise<string> {
    const fresh = Buffer.from(randomBytes(32)).toString('base64url');
    const db = database.em.getKysely();
    await sql`insert into page_view_salts (day, salt) values (${day}, ${fresh}) on conflict do nothing`.execute(
      db,
    );
    const { rows } = await sql<{ salt: string }>`select salt from page_view_salts where day = ${day}`.execute(
      db,
    );
    return rows[0]?.salt ?? fresh;
  }
}
