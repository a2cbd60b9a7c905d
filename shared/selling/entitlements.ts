import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../content/gate.ts';

/** Entitlements of an address: what the SQL function `entitlements` (migration 0042) returns. */
export interface Entitlements {
  /** True if an active member account has the address. */
  is_member: boolean;
  /** Tiers that the owner set, and those of open memberships. */
  tiers: string[];
  /**
   * Purchases in state `paid`, as `posts/{id}` and `courses/{id}`. At most `maxListed`, and one more if there are others; none if the
   * tiers open everything that can be bought.
   */
  purchases: string[];
}

/** Maximum number of purchases that one query lists. Others are looked up for each record. */
const maxListed = 1_000;

interface EntitlementQuery {
  siteId: RawBuilder<unknown> | string;
  email: RawBuilder<unknown> | string;
  at: RawBuilder<unknown> | Date;
  /** True if test sales open content for everyone (`countsTestSales`). */
  countsTest: boolean;
}

/** SQL: one row of entitlements, for a `from` or a lateral `join`. The only place that decides what is open to an address. */
export const entitlementsOf = ({ siteId, email, at, countsTest }: EntitlementQuery) =>
  sql<Entitlements>`entitlements(${siteId}, ${email}, ${at}, ${countsTest})`;

/** SQL: true if a paid purchase opens the record to the address. It looks up one record, however much was bought. */
export const hasBought = (
  { siteId, email, countsTest }: Omit<EntitlementQuery, 'at'>,
  record: { collection: 'posts' | 'courses'; id: RawBuilder<unknown> | string },
): RawBuilder<boolean> => sql`
  coalesce((select true from bought(${siteId}, ${email}, ${countsTest}) b
    where b.content_type = ${record.collection} and b.content_id = ${record.id} limit 1), false)`;

/**
 * SQL: true if a row `m` of memberships ended, or it closed and no payment of it is followed any more: the demo provider renews nothing,
 * and other accounts than the connected one are not read. Providers that report over the API end theirs themselves.
 */
export const isOver = (now: RawBuilder<unknown> | Date): RawBuilder<boolean> => sql`
  (m.state = 'ended' or m.open_until <= ${now} and m.provider in ('demo', 'stripe') and not exists (
    select from payment_connections c where c.site_id = m.site_id and m.provider = 'stripe'
      and coalesce(c.account_id, c.portal_ref) = m.account_key and c.livemode = m.livemode))`;

/** Reader with these entitlements, who is signed in. */
export const readerWith = ({ tiers, purchases, email }: Entitlements & { email: string }): Reader =>
  purchases.length > maxListed
    ? { signedIn: true, tiers, purchases: [], buyer: email }
    : { signedIn: true, tiers, purchases: [...new Set(purchases)] };
