import { Migration } from '@mikro-orm/migrations';

/** Caption of an image, and the point that stays visible when it is cropped; null means the center. */
export class Captions extends Migration {
  override up() {
    this.addSql(`
alter table media add column caption text not null default '', add column focus jsonb;
alter table media alter column caption drop default;`);
  }
}
