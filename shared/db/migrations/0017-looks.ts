import { Migration } from '@mikro-orm/migrations';

/** Adds the look to the themes of sites. Existing sites keep the look that all sites had before. */
export class Looks extends Migration {
  override up() {
    this.addSql(`update sites set theme = '{"look": "journal"}'::jsonb || theme`);
  }
}
