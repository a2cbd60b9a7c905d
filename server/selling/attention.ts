import { sql } from 'kysely';
import type { z } from 'zod';
import type { Attention } from '../../shared/contract/features/attention.ts';
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
  const since = new Date(deps.clock.now().getTime() - refundDays * 86_400_000);
  const { rows } = await sql<Row & { total: number }>`
    select *, count(*) over ()::int as total from (
      select id, 'purchases' as collection, case when dispute = 'open' then 'disputed' else 'refunded' end as reason,
        buyer_email as email, amount::float8 as amount, currency, updated as at, livemode, provider, external_id, account_key
      from purchases where site_id = ${siteId} and (dispute = 'open' or refunded_amount > 0 and updated > ${since})
      union all
      select id, 'memberships', case when blocked then 'blocked' when state = 'past_due' then 'past_due' else 'two_memberships' end,
        email, amount::float8, currency, updated, livemode, provider, external_id, account_key
      from memberships m where site_id = ${siteId} and state <> 'ended' and (blocked or state = 'past_due' or exists (
        select from memberships o where o.site_id = m.site_id and o.mailbox = m.mailbox and o.id <> m.id and o.state <> 'ended'))
    ) sales order by at desc, id limit ${per_page} offset ${(page - 1) * per_page}`.execute(
    deps.database.em.getKysely(),
  );
  const connection = await connectionOf(deps, siteId);
  const broken = connection?.state === 'broken' && page === 1;
  const items = rows.map(({ total: _, provider, external_id, account_key, ...row }) => ({
    ...row,
    url: provider === 'stripe' ? pageAtStripe(row, external_id, account_key) : null,
  }));
  const ofConnection = {
    ...{ id: 'connection', collection: null, reason: 'key_broken' as const, email: '' },
    ...{
      amount: null,
      currency: null,
      at: deps.clock.now(),
      livemode: connection?.livemode ?? true,
      url: null,
    },
  };
  return {
    items: broken ? [ofConnection, ...items] : items,
    ...{ page, per_page, total: (rows[0]?.total ?? 0) + (broken ? 1 : 0) },
  };
}

/** Page in Stripe's dashboard; null for a sale without a payment. */
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
