import { Migration } from '@mikro-orm/migrations';

/** The themes of sites name a logo and an icon, or null where there are none. */
export class Logos extends Migration {
  override up() {
    this.addSql(`update sites set theme = '{"logo": null, "icon": null}'::jsonb || theme`);
  }
}
