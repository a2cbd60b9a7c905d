import { Migration } from '@mikro-orm/migrations';

/** What is deleted along with a record has rows of its own, so that no statement holds all of a large course. */
export class TrashParts0160 extends Migration {
  override name = '0160-trash-parts';

  override up() {
    this.addSql(table);
    this.addSql('create index trash_parts_whole_idx on trash_parts (site_id, whole_collection, whole_id)');
    this.addSql(`
insert into trash_parts (site_id, collection, id, whole_collection, whole_id, record)
select site_id, part ->> 'collection', part -> 'record' ->> 'id', collection, id, part -> 'record'
from trash, jsonb_array_elements(parts) as part`);
    this.addSql(`update trash set parts = '[]' where parts <> '[]'`);
    this.addSql(takeApart);
    this.addSql(
      'create trigger take_parts before insert on trash for each row execute function take_trash_apart()',
    );
  }
}

// A part may be there twice: deleted, imported anew, and deleted with another whole. A process of an earlier version that restores or purges such a record fails by the foreign key, and loses no part.
const table = `
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
)`;

// While they are being replaced, processes of an earlier version write all parts into one column.
const takeApart = `
create function take_trash_apart() returns trigger language plpgsql as $$
begin
  insert into trash_parts (site_id, collection, id, whole_collection, whole_id, record)
  select new.site_id, part ->> 'collection', part -> 'record' ->> 'id', new.collection, new.id, part -> 'record'
  from jsonb_array_elements(case jsonb_typeof(new.parts) when 'array' then new.parts else '[]' end) as part;
  new.parts = '[]';
  return new;
end $$`;
