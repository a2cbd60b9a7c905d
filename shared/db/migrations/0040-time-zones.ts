import { Migration } from '@mikro-orm/migrations';

/** Time zone of each site. The default stays: servers of the previous version create sites without this column. */
export class TimeZones extends Migration {
  override up() {
    this.addSql(`alter table sites add column time_zone text not null default 'UTC'`);
  }
}
