import { type RawBuilder, sql } from 'kysely';
import { gate } from '../content/gate.ts';
import type { MailingAudience } from '../contract/features/mailing-audience.ts';
import { type Entitlements, entitlementsOf } from '../selling/entitlements.ts';

/**
 * SQL after `from`, with its `where`: the active subscribers of a site, as `s`, with the entitlements of their addresses,
 * as `e`.
 */
export const subscribersOf = (siteId: string, countsTest: boolean): RawBuilder<unknown> => sql`
  subscribers s cross join lateral ${entitlementsOf({
    siteId,
    email: sql`s.email`,
    at: sql`statement_timestamp()`,
    countsTest,
  })} e
  where s.site_id = ${siteId} and s.status = 'active'`;

/** SQL condition: a subscriber belongs to the audience of a mailing. */
export function isMeant({ access_tiers: tiers, sources }: MailingAudience): RawBuilder<boolean> {
  const holds = sql`e.tiers && ${tiers ?? []}::text[]`;
  return sql`(${sources ? sql`s.source = any(${sources}::text[])` : sql`true`}
    and ${tiers ? sql`(${holds} or ${tiers.includes('registered') ? sql`e.is_member` : sql`false`})` : sql`true`})`;
}

/**
 * Returns which body of a post a reader gets by mail: `open` if they may read all of it, otherwise `closed`. Purchases and
 * memberships count by address, so a reader needs no account for them.
 */
export function bodyFor(
  post: { id: string; access_tier: string },
  { is_member: signedIn, tiers, has_bought }: Omit<Entitlements, 'purchases'> & { has_bought: boolean },
): 'open' | 'closed' {
  const reader = { signedIn, tiers, purchases: has_bought ? [`posts/${post.id}`] : [] };
  return gate('posts', post, reader) === null ? 'open' : 'closed';
}
