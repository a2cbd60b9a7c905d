import { sql } from 'kysely';
import { hashSecret } from '../../../shared/runtime/secret-box.ts';
import type { Offender } from './attacker.ts';

/** Session token of a member who bought every post. */
export const buyerToken = `svc_member_${'b'.repeat(43)}`;

/** Adds a member of the site with this number of purchases. */
export async function addBuyer(
  { deps, siteId }: Pick<Offender, 'deps' | 'siteId'>,
  count: number,
): Promise<void> {
  const db = deps.database.em.getKysely();
  const email = 'buyer@example.com';
  await sql`
    insert into members (site_id, id, email, name, status, access_tiers, created, updated)
    values (${siteId}, 'buyer', ${email}, 'A buyer', 'active', '{}', now(), now())`.execute(db);
  await sql`
    insert into member_sessions (site_id, id, member_id, token_hash, expires_at, created)
    values (${siteId}, 'session', 'buyer', ${hashSecret(buyerToken)}, now() + interval '1 day', now())`.execute(
    db,
  );
  for (let first = 1; first <= count; first += 50_000)
    await sql`
      insert into purchases (site_id, id, buyer_email, content_type, content_id, amount, currency, created)
      select ${siteId}, lpad(n::text, 15, '0'), ${email}, 'posts', lpad(n::text, 15, '0'), 1, 'EUR', now()
      from generate_series(${first}::integer, ${Math.min(first + 49_999, count)}::integer) n`.execute(db);
}
