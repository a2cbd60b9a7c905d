import { Migration } from '@mikro-orm/migrations';

/** Indexes of memberships that close, and of sales that need attention. */
export class Sales extends Migration {
  override up() {
    for (const statement of indexes) this.addSql(statement);
  }
}

const indexes = [
  `create index memberships_closing_idx on memberships (open_until)
    where state <> 'ended' and provider in ('demo', 'stripe')`,
  `create index memberships_attention_idx on memberships (site_id, id)
    where state <> 'ended' and (blocked or state = 'past_due')`,
  `create index memberships_running_idx on memberships (site_id, mailbox) where state <> 'ended'`,
  `create index purchases_disputed_idx on purchases (site_id, id) where dispute = 'open'`,
  `create index purchases_refunded_idx on purchases (site_id, updated) where refunded_amount > 0 and dispute <> 'open'`,
];
