import { Migration } from '@mikro-orm/migrations';

/** Indexes that keep the queries of one site independent of the number of rows of others. */
export class SiteIndexes extends Migration {
  override up() {
    this.addSql(bought);
    this.addSql(ages);
  }
}

const bought = `
create index purchases_bought_idx on purchases (site_id, buyer_email, content_type, content_id);
drop index purchases_buyer_idx`;

/*
 * Indexes for deleting expired rows of all sites. They must not have the order of a site's list: PostgreSQL could use them for the
 * list, and would then read rows of all sites until the page is full.
 */
const ages = `
drop index audit_log_age_idx;
create index audit_log_age_idx on audit_log using brin (created);
drop index webhook_deliveries_created_idx;
create index webhook_deliveries_age_idx on webhook_deliveries (created) where due_at is null and asked_at is null`;
