import { Migration } from '@mikro-orm/migrations';

/** By what logical replication finds the row of another database that a deletion means: the table has no primary key. */
export class ReplicaIdentity extends Migration {
  override up() {
    this.addSql('alter table page_view_days replica identity full');
  }
}
