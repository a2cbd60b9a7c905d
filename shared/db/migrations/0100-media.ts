import { Migration } from '@mikro-orm/migrations';

/** Files that creators upload; the bytes are in the media store, under the site and the id of their row. */
export class Media0100 extends Migration {
  override name = '0100-media';

  override up() {
    this.addSql(`
create table media (
  site_id text not null,
  id text not null,
  name text not null,
  type text not null,
  size bigint not null,
  width integer,
  height integer,
  sha256 text not null,
  widths integer[] not null,
  is_public boolean not null generated always as (true) stored,
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint media_sha256_key unique (site_id, sha256)
)`);
    this.addSql('create index media_created_idx on media (site_id, created desc, id desc)');
    // Pages show which sizes an image has, so they depend on the version of this table too.
    for (const [name, occasion] of Object.entries(occasions))
      this.addSql(
        `create trigger media_${name} ${occasion} for each statement execute function note_collection_change()`,
      );
  }
}

const occasions = {
  inserted: 'after insert on media referencing new table as new_rows',
  updated: 'after update on media referencing old table as old_rows new table as new_rows',
  deleted: 'after delete on media referencing old table as old_rows',
  truncated: 'after truncate on media',
};
