import { Migration } from '@mikro-orm/migrations';

/** Images whose smaller copies are to be made. Apart from `media`, whose version is raised by every write. */
export class MediaSizes0101 extends Migration {
  override name = '0101-media-sizes';

  override up() {
    this.addSql(`
create table media_to_size (
  site_id text not null,
  id text not null,
  due_at timestamptz(3) not null,
  tries integer not null,
  primary key (site_id, id)
)`);
    // Not by site: the worker asks what is due of all sites at once.
    this.addSql('create index media_to_size_due_idx on media_to_size (due_at)');
  }
}
