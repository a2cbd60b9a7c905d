import { type RawBuilder, sql } from 'kysely';
import { anyone, gate, type Reader } from '../content/gate.ts';
import type { MailingAudience } from '../contract/features/mailing-audience.ts';

/** SQL: who gets the mail of a site, as `s`, with their accounts, as `m`, where they have one. */
export const subscribersOf = (siteId: string): RawBuilder<unknown> => sql`
  subscribers s left join members m on m.site_id = ${siteId} and m.email = s.email and m.status = 'active'
  where s.site_id = ${siteId} and s.status = 'active'`;

/** SQL: whether a mailing with this audience is meant for one of them. */
export function isMeant({ access_tiers: tiers, sources }: MailingAudience): RawBuilder<boolean> {
  const holds = sql`coalesce(m.access_tiers && ${tiers ?? []}::text[], false)`;
  const isMember = sql`m.id is not null`;
  return sql`(${sources ? sql`s.source = any(${sources}::text[])` : sql`true`}
    and ${tiers ? sql`(${holds} or ${tiers.includes('registered') ? isMember : sql`false`})` : sql`true`})`;
}

/** SQL: whether the reader with this address bought the post. */
export const hasBought = (
  siteId: string,
  postId: string,
  email: RawBuilder<unknown>,
): RawBuilder<boolean> => sql`
  exists (select from purchases p where p.site_id = ${siteId} and p.buyer_email = ${email}
    and p.content_type = 'posts' and p.content_id = ${postId})`;

/** Which body of a post a reader gets. */
export function bodyFor(
  post: { id: string; access_tier: string },
  { tiers, has_bought }: { tiers: string[] | null; has_bought: boolean },
): 'open' | 'closed' {
  // What was bought opens to whoever signs in with the address, as on the site: without an account nobody can.
  const reader: Reader = tiers ? { signedIn: true, tiers, purchases: has_bought ? [post.id] : [] } : anyone;
  return gate(post, reader) === null ? 'open' : 'closed';
}
