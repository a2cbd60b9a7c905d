import { Migration } from '@mikro-orm/migrations';

/** Keeps the number of members of each site, as 0004 does for content. An update changes no number. */
export class MemberCount0006 extends Migration {
  override name = '0006-member-count';

  override up() {
    this.addSql(`
      create trigger members_inserted after insert on members referencing new table as new_rows
        for each statement execute function note_profile_change()`);
    this.addSql(`
      create trigger members_deleted after delete on members referencing old table as old_rows
        for each statement execute function note_profile_change()`);
    this.addSql(`
      create trigger members_truncated after truncate on members
        for each statement execute function note_profile_change()`);
    this.addSql(`
      insert into collection_state select site_id, 'members', 1, count(*) from members group by site_id`);
  }
}
