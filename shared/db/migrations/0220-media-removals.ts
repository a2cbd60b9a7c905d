import { Migration } from '@mikro-orm/migrations';

/**
 * What was put into the media store, or is about to be, without a row of media that names it: nothing else is ever removed
 * from there. Once a removal has begun, no row may come any more.
 */
export class MediaRemovals0220 extends Migration {
  override name = '0220-media-removals';

  override up() {
    this.addSql(`
create table media_removals (
  site_id text not null,
  id text not null,
  due_at timestamptz(3) not null,
  begun boolean not null,
  primary key (site_id, id)
)`);
    // Not by site: the worker asks what is due of all sites at once.
    this.addSql('create index media_removals_due_idx on media_removals (due_at)');
  }
}
