import { Migration } from '@mikro-orm/migrations';

/** Failures in a row by when their attempts began, of which `consecutive_failures` is the number. */
export class FailureOrder0010 extends Migration {
  override name = '0010-failure-order';

  override up() {
    this.addSql(sql);
  }
}

const sql = `
alter table webhook_subscriptions
  add column acknowledged_began double precision not null default 0,
  add column failed_began double precision[] not null default '{}';
update webhook_subscriptions set failed_began = array(select generate_series(1, consecutive_failures))
  where consecutive_failures > 0;
alter table webhook_subscriptions
  alter column acknowledged_began drop default,
  alter column failed_began drop default,
  drop column consecutive_failures;
alter table webhook_subscriptions
  add column consecutive_failures integer not null generated always as (cardinality(failed_began)) stored;
`;
