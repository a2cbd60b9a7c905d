import { Migration } from '@mikro-orm/migrations';

/** Which media store is the installation's: one row, whose id the store has too once it is `marked`. */
export class MediaStore0221 extends Migration {
  override name = '0221-media-store';

  override up() {
    this.addSql(`
create table media_store (
  only_one boolean not null primary key check (only_one),
  id text not null,
  marked boolean not null
)`);
  }
}
