import { Migration } from '@mikro-orm/migrations';

/** Uploaded files. The media store contains their bytes, by site and ID of the row. */
export class Media extends Migration {
  override up() {
    this.addSql(sql);
  }
}

const sql = `
create table media (
  site_id text not null,
  id text not null,
  name text not null,
  alt text not null,
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
);
create index media_created_idx on media (site_id, created desc, id desc);

-- Images whose smaller copies are to be made, and why one gets none, where that is its own fault. Apart from media, whose
-- version is raised by every write. Not by site: the worker asks what is due of all sites at once.
create table media_to_size (
  site_id text not null,
  id text not null,
  due_at timestamptz(3) not null,
  tries integer not null,
  given_up text,
  primary key (site_id, id)
);
create index media_to_size_due_idx on media_to_size (due_at);

-- What was put into the media store, or is about to be, without a row of media that names it: nothing else is ever removed
-- from there. Once a removal has begun, no row may come any more.
create table media_removals (
  site_id text not null,
  id text not null,
  due_at timestamptz(3) not null,
  begun boolean not null,
  primary key (site_id, id)
);
create index media_removals_due_idx on media_removals (due_at);

-- Which media store is the installation's: one row, whose id the store has too once it is marked.
create table media_store (
  only_one boolean not null primary key check (only_one),
  id text not null,
  marked boolean not null
);
`;
