import { Migration } from '@mikro-orm/migrations';

/**
 * The labels that a site keeps of a day are found by the site. The index by which old days are removed names pages of all
 * sites, which PostgreSQL took to be as good while there were few of them.
 */
export class ViewLabels extends Migration {
  override up() {
    this.addSql(
      'alter function keep_view_labels(text, date, text, bytea[], integer) set enable_bitmapscan = off',
    );
  }
}
