import { Migration } from '@mikro-orm/migrations';

/**
 * Whatever page an owner asks for, and whatever they look for or filter by, is found and counted in one walk over one index, without a
 * row being read. What is looked through stands in it in lower case, several texts as one; between them is a capital, which
 * nothing that is looked for has. It is bytes, in which PostgreSQL finds a part in half the time it takes to find it in a text. The site is
 * in collation "POSIX", and the index is said to be of a part of all rows, which all are in: a query that compares the site that way, and
 * names the part, can be answered by nothing else. It grows at its end, where the newest person comes, so that its pages are full.
 *
 * The last visit of a member is in it: to find by it took twice as long as all else. What a visit costs more is one entry in each
 * index of the table, once a minute.
 */
export class ListsOfPeople extends Migration {
  override up() {
    for (const [table, { texts, columns }] of Object.entries(lists)) {
      const text = texts.map((column) => `lower(${column})`).join(` || 'A' || `);
      this.addSql(`
alter table ${table} add column search bytea not null generated always as (decode(replace(${text}, '\\', '\\\\'), 'escape')) stored`);
      this.addSql(`
create index ${table}_list_idx on ${table} (site_id collate "POSIX", created, id) include (${columns.join(', ')}, search)
where created <= 'infinity'`);
      this.addSql(`drop index ${table}_created_idx`);
      // Several processes took twice the CPU for one walk.
      this.addSql(`alter table ${table} set (parallel_workers = 0)`);
    }
  }
}

const lists = {
  members: { texts: ['email', 'name'], columns: ['last_seen_at', 'name', 'status', 'access_tiers'] },
  subscribers: { texts: ['email', 'name', 'source'], columns: ['status'] },
  purchases: { texts: ['buyer_email'], columns: ['content_type'] },
  enrollments: { texts: ['buyer_email'], columns: ['completed_at', 'course_id'] },
};
