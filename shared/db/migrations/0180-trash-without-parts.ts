import { Migration } from '@mikro-orm/migrations';

/** The column that only processes of an earlier version write is filled for all others. */
export class TrashWithoutParts0180 extends Migration {
  override name = '0180-trash-without-parts';

  override up() {
    this.addSql(`alter table trash alter column parts set default '[]'`);
  }
}
