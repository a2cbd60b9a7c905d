import { Migration } from '@mikro-orm/migrations';

/** Which record was made of what in another system, so that importing it again makes no second one. */
export class ImportedRecords0110 extends Migration {
  override name = '0110-imported-records';

  override up() {
    this.addSql(`
create table imported_records (
  site_id text not null,
  source text not null,
  collection text not null,
  source_id text not null,
  record_id text not null,
  created timestamptz(3) not null,
  primary key (site_id, source, collection, source_id)
)`);
  }
}
