import { Migration } from '@mikro-orm/migrations';

/**
 * Revisions of records, and the trash. Parts that are deleted with a record have their own rows, so that no statement needs the
 * memory for all of a large course.
 */
export class History extends Migration {
  override up() {
    this.addSql(sql);
  }
}

const sql = `
create table record_revisions (
  site_id text not null,
  collection text not null,
  record_id text not null,
  revision integer not null,
  created timestamptz(3) not null,
  actor jsonb not null,
  changed text[] not null,
  previous jsonb not null,
  primary key (site_id, collection, record_id, revision)
);

create table trash (
  site_id text not null,
  collection text not null,
  id text not null,
  title text not null,
  deleted timestamptz(3) not null,
  actor jsonb not null,
  record jsonb not null,
  primary key (site_id, collection, id)
);
create index trash_deleted_idx on trash (site_id, deleted desc, id desc);

-- A part may be there twice: deleted, imported anew, and deleted with another whole.
create table trash_parts (
  site_id text not null,
  collection text not null,
  id text not null,
  whole_collection text not null,
  whole_id text not null,
  record jsonb not null,
  primary key (site_id, collection, id, whole_collection, whole_id),
  constraint trash_parts_whole_fkey foreign key (site_id, whole_collection, whole_id)
    references trash (site_id, collection, id) deferrable initially deferred
);
create index trash_parts_whole_idx on trash_parts (site_id, whole_collection, whole_id);
`;
