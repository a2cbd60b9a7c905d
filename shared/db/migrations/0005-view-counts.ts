import { Migration } from '@mikro-orm/migrations';

/** Counts of page views are found by dimension and day: a label can be longer than an entry of an index may be. */
export class ViewCounts0005 extends Migration {
  override name = '0005-view-counts';

  override up() {
    this.addSql('alter table page_view_days drop constraint page_view_days_pkey');
    this.addSql('create index page_view_days_site_idx on page_view_days (site_id, dimension, day)');
  }
}
