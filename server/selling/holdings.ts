import { sql } from 'kysely';
import { mailboxOf } from '../../shared/contract/email.ts';
import { findSoldRecords, type SoldRecord } from '../../shared/selling/sold-records.ts';
import type { Deps } from '../api/deps.ts';

/** Maximum number of purchases and of memberships that a member sees, newest first. */
const maxShown = 200;

/** Purchases and memberships of a member, newest first; test sales only where they count. */
export async function listHoldings(
  { database, config }: Pick<Deps, 'database' | 'config'>,
  siteId: string,
  email: string,
) {
  const db = database.em.getKysely();
  const purchases = await db
    .selectFrom('purchases')
    .select(['id', 'content_type', 'content_id', 'amount', 'currency', 'state', 'created'])
    .select(sql<boolean>`provider = 'stripe' and charge_ref is not null`.as('has_receipt'))
    .where('site_id', '=', siteId)
    .where('buyer_email', '=', email)
    .$if(!config.countsTest, (query) => query.where('livemode', '=', true))
    .orderBy('created', 'desc')
    .limit(maxShown)
    .execute();
  const memberships = await db
    .selectFrom('memberships')
    .leftJoin('offers', (join) =>
      join
        .onRef('offers.site_id', '=', 'memberships.site_id')
        .onRef('offers.id', '=', 'memberships.offer_id'),
    )
    .select(['memberships.id', 'title', 'provider', 'state', 'blocked', 'open_until', 'cancel_at'])
    .select(['memberships.amount', 'memberships.currency', 'memberships.interval'])
    .where('memberships.site_id', '=', siteId)
    .where('mailbox', '=', mailboxOf(email))
    .$if(!config.countsTest, (query) => query.where('livemode', '=', true))
    .orderBy('memberships.created', 'desc')
    .limit(maxShown)
    .execute();
  const records = new Map<string, Omit<SoldRecord, 'id'>>();
  for (const [type, bought] of Map.groupBy(purchases, ({ content_type }) => content_type)) {
    const ids = bought.map(({ content_id }) => content_id);
    for (const { id, ...record } of await findSoldRecords({ database }, siteId, type, ids))
      records.set(id, record);
  }
  return {
    purchases: purchases.map(({ content_id, content_type: _, ...purchase }) => ({
      ...purchase,
      record: records.get(content_id) ?? null,
    })),
    memberships,
  };
}
