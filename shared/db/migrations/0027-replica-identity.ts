import { Migration } from '@mikro-orm/migrations';

/** Replica identity for logical replication of updates and deletions: the table has no primary key. */
export class ReplicaIdentity extends Migration {
  override up() {
    this.addSql('alter table page_view_days replica identity full');
  }
}
