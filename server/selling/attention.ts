import { type RawBuilder, sql } from 'kysely';
import type { z } from 'zod';
import type { Attention } from '../../shared/contract/features/attention.ts';
import type { Connection } from '../../shared/selling/connection.ts';
import type { Deps } from '../api/deps.ts';
import { connectionOf } from './connection.ts';

type Row = Omit<z.output<typeof Attention>, 'url'> & {
  provider: string;
  external_id: string | null;
  account_key: string | null;
};

/** Days for which a refund is listed. It needs no action. */
const refundDays = 30;

/**
 * Open disputes, refunds of the last 30 days, memberships that are blocked or past due, and mailboxes with several memberships, newest
 * first; before all, a connection that is broken.
 */
export async function listAttention(
  deps: Deps,
  siteId: string,
  { page, per_page }: { page: number; per_page: number },
) {
  const connection = await connectionOf(deps, siteId);
  const broken = connection?.state === 'broken' ? [brokenConnection(connection, deps.clock.now())] : [];
  const first = (page - 1) * per_page;
  const ahead = broken.slice(first, first + per_page);
  const since = new Date(deps.clock.now().getTime() - refundDays * 86_400_000);
  const { rows } = await sql<(Row | { [Name in keyof Row]: null }) & { total: number }>`
    with sales as (${purchasesOf(siteId, since)} union all ${membershipsOf(siteId)}),
    shown as (
      select * from sales order by at desc, id limit ${per_page - ahead.length} offset ${Math.max(0, first - broken.length)}
    )
    select (select count(*)::int from sales) as total, shown.* from (select) one left join shown on true order by at desc, id`.execute(
    deps.database.em.getKysely(),
  );
  const items = rows.flatMap(({ total: _, provider, external_id, account_key, ...row }) =>
    row.id === null
      ? []
      : [{ ...row, url: provider === 'stripe' ? pageAtStripe(row, external_id, account_key) : null }],
  );
  return { items: [...ahead, ...items], ...{ page, per_page, total: (rows[0]?.total ?? 0) + broken.length } };
}

const columns = sql`amount::float8 as amount, currency, updated as at, livemode, provider, external_id, account_key`;

const purchasesOf = (siteId: string, since: Date) => {
  const purchases = (reason: string, where: RawBuilder<unknown>) => sql`
    select id, 'purchases' as collection, ${sql.lit(reason)} as reason, buyer_email as email, ${columns}
    from purchases where site_id = ${siteId} and ${where}`;
  const isRefunded = sql`refunded_amount > 0 and dispute <> 'open' and updated > ${since}`;
  return sql`${purchases('disputed', sql`dispute = 'open'`)} union all ${purchases('refunded', isRefunded)}`;
};

const membershipsOf = (siteId: string) => {
  const memberships = (reason: RawBuilder<unknown>, where: RawBuilder<unknown>) => sql`
    select id, 'memberships', ${reason}, email, ${columns}
    from memberships where site_id = ${siteId} and state <> 'ended' and ${where}`;
  const isUnpaid = sql`(blocked or state = 'past_due')`;
  const isDouble = sql`not ${isUnpaid} and mailbox in (
    select mailbox from memberships where site_id = ${siteId} and state <> 'ended' group by mailbox having count(*) > 1)`;
  return sql`${memberships(sql`case when blocked then 'blocked' else 'past_due' end`, isUnpaid)}
    union all ${memberships(sql.lit('two_memberships'), isDouble)}`;
};

const brokenConnection = ({ livemode }: Pick<Connection, 'livemode'>, at: Date) => ({
  ...{ id: 'connection', collection: null, reason: 'key_broken' as const, email: '' },
  ...{ amount: null, currency: null, at, livemode, url: null },
});

/** Returns the URL of a purchase or membership in Stripe's dashboard; null for a sale without a payment. */
function pageAtStripe(
  { collection, livemode }: Pick<Row, 'collection' | 'livemode'>,
  id: string | null,
  account: string | null,
): string | null {
  if (!id || (collection === 'purchases' && !id.startsWith('pi_'))) return null;
  const path = collection === 'purchases' ? `payments/${id}` : `subscriptions/${id}`;
  const ofAccount = account?.startsWith('acct_') ? `${account}/` : '';
  return `https://dashboard.stripe.com/${ofAccount}${livemode ? '' : 'test/'}${path}`;
}
