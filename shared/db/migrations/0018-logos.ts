import { Migration } from '@mikro-orm/migrations';

/** Adds logo and icon to the themes of sites; null if there is none. */
export class Logos extends Migration {
  override up() {
    this.addSql(`update sites set theme = '{"logo": null, "icon": null}'::jsonb || theme`);
  }
}
