import { Migration } from '@mikro-orm/migrations';

/** What a site's prices are in; null where it does not say. */
export class Currency extends Migration {
  override up() {
    this.addSql('alter table sites add column currency text');
  }
}
