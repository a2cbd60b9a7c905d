import { Migration } from '@mikro-orm/migrations';

/** The themes of sites name a look: the one that all of them had. */
export class Looks extends Migration {
  override up() {
    this.addSql(`update sites set theme = '{"look": "journal"}'::jsonb || theme`);
  }
}
