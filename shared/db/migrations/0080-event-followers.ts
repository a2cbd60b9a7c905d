import { Migration } from '@mikro-orm/migrations';

/** Places of those who follow a site's events. Unlogged: after a crash of the database nobody has one. */
export class EventFollowers0080 extends Migration {
  override name = '0080-event-followers';

  override up() {
    this.addSql(`
create unlogged table event_followers (
  site_id text not null,
  place integer not null,
  holder text not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, place)
)`);
  }
}
