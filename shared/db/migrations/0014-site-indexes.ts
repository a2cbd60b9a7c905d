import { Migration } from '@mikro-orm/migrations';

/** What one site asks for is found by its own indexes, however many rows it and others have. */
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
 * What is past its time is removed of all sites at once. An index for that which gives the order of a site's list, too, would
 * have the list read the rows of all sites until its page is full.
 */
const ages = `
drop index audit_log_age_idx;
create index audit_log_age_idx on audit_log using brin (created);
drop index webhook_deliveries_created_idx;
create index webhook_deliveries_age_idx on webhook_deliveries (created) where due_at is null and asked_at is null`;
