import { Migration } from '@mikro-orm/migrations';

/**
 * Forces `keep_view_labels` to use the primary key, which begins with the site. While the table was small, PostgreSQL chose the
 * index by day, which reads the labels of all sites.
 */
export class ViewLabels extends Migration {
  override up() {
    this.addSql(
      'alter function keep_view_labels(text, date, text, bytea[], integer) set enable_bitmapscan = off',
    );
  }
}
