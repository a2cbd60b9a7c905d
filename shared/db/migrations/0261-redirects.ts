import { Migration } from '@mikro-orm/migrations';

/** Old addresses of sites, which lead on while nothing else is there. */
export class Redirects0261 extends Migration {
  override name = '0261-redirects';

  override up() {
    this.addSql(`
create table redirects (
  site_id text not null,
  id text not null,
  "from" text not null,
  "to" text not null,
  permanent boolean not null,
  collection text not null,
  record_id text not null,
  is_public boolean not null generated always as (true) stored,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint redirects_from_key unique (site_id, "from")
)`);
    // What leads on is kept in memory, and a site without any is never asked.
    for (const [name, occasion] of Object.entries(occasions))
      this.addSql(
        `create trigger redirects_${name} ${occasion} for each statement execute function note_collection_change()`,
      );
  }
}

const occasions = {
  inserted: 'after insert on redirects referencing new table as new_rows',
  updated: 'after update on redirects referencing old table as old_rows new table as new_rows',
  deleted: 'after delete on redirects referencing old table as old_rows',
  truncated: 'after truncate on redirects',
};
