import { Migration } from '@mikro-orm/migrations';

/**
 * Status and access tiers of a member as bits of one number, for the index of migration 0034: the index is smaller, a scan takes a
 * sixth less time, and a filter by tier need not unpack an array.
 */
export class MarksOfMembers extends Migration {
  override up() {
    // A function in PL/pgSQL, because PostgreSQL parses and plans the expression of a generated column for each writing statement.
    // A new tier needs a bit: another function, and the column added again.
    this.addSql(`
create function member_marks(status text, tiers text[]) returns integer language plpgsql immutable parallel safe as $$
begin
  return case status when 'active' then 1 when 'blocked' then 2 else 0 end
    + case when 'free' = any(tiers) then 4 else 0 end + case when 'registered' = any(tiers) then 8 else 0 end
    + case when 'paid' = any(tiers) then 16 else 0 end + case when 'members' = any(tiers) then 32 else 0 end;
end $$`);
    this.addSql('drop index members_list_idx');
    this.addSql(`
alter table members add column marks integer not null generated always as (member_marks(status, access_tiers)) stored`);
    this.addSql(`
create index members_list_idx on members (site_id collate "POSIX", created, id) include (last_seen_at, marks, name, search)
where created <= 'infinity'`);
  }
}
