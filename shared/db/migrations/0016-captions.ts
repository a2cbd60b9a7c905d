import { Migration } from '@mikro-orm/migrations';

/** What stands below an image, and the point of it that stays in sight where it is cut off; null for its middle. */
export class Captions extends Migration {
  override up() {
    this.addSql(`
alter table media add column caption text not null default '', add column focus jsonb;
alter table media alter column caption drop default;`);
  }
}
