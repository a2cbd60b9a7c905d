import { Migration } from '@mikro-orm/migrations';

/** Currency of a site's prices; null if the site has none. */
export class Currency extends Migration {
  override up() {
    this.addSql('alter table sites add column currency text');
  }
}
