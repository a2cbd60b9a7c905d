import { Migration } from '@mikro-orm/migrations';

/**
 * What records say of themselves where they are shared: a picture of the site's media, a title and a description. A cover is
 * no foreign key: what was deleted may come back from the trash, from its history or with an import after its picture.
 */
export class Covers0260 extends Migration {
  override name = '0260-covers';

  override up() {
    this.addSql(`alter table media add column alt text not null default ''`);
    this.addSql('alter table media alter column alt drop default');
    this.addSql(holdCover);
    for (const table of withCovers) {
      this.addSql(`
        alter table ${table}
          add column cover text not null default '',
          add column meta_title text not null default '',
          add column meta_description text not null default ''`);
      this.addSql(`
        alter table ${table}
          alter column cover drop default, alter column meta_title drop default, alter column meta_description drop default`);
      this.addSql(`create index ${table}_cover_idx on ${table} (site_id, cover) where cover <> ''`);
      this.addSql(`
create trigger ${table}_cover before insert or update of cover on ${table}
  for each row when (new.cover <> '') execute function hold_cover()`);
    }
    this.addSql(noteCoverChange);
    for (const [name, occasion] of Object.entries(occasions))
      this.addSql(
        `create trigger media_cover_${name} ${occasion} for each statement execute function note_cover_change()`,
      );
  }
}

const withCovers = ['posts', 'projects', 'courses', 'talks', 'pages'];

/*
 * Until a record has its cover, nobody changes the picture: whoever does so next sees that the record has it, and raises the
 * version of its collection.
 */
const holdCover = `
create function hold_cover() returns trigger language plpgsql as $$
begin
  perform from media where site_id = new.site_id and id = new.cover for share;
  return new;
end $$`;

/** What tells of records tells of their pictures, too: it is out of date once one of these has changed. */
const noteCoverChange = `
create function note_cover_change() returns trigger language plpgsql as $$
begin
${withCovers
  .map(
    (table) => `
  perform count_change(site_id, '${table}', 0) from (
    select distinct site_id from changed_rows c
    where exists (select from ${table} t where t.site_id = c.site_id and t.cover = c.id and t.cover <> '')
    order by site_id
  ) changes;`,
  )
  .join('')}
  return null;
end $$`;

const occasions = {
  inserted: 'after insert on media referencing new table as changed_rows',
  updated: 'after update on media referencing new table as changed_rows',
  deleted: 'after delete on media referencing old table as changed_rows',
};
