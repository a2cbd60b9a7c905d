import { Migration } from '@mikro-orm/migrations';

/**
 * The index of words and lists knows the site of what is public, too. Read from the records instead, where `is_public` is
 * the last column, it takes as long as all the rest of counting a list that most records belong to. It is an expression
 * with the site, not the column by itself, which would let a query find all that is public on any site by this index.
 */
export class NarrowedPublic0095 extends Migration {
  override name = '0095-narrowed-public';

  override up() {
    for (const [collection, columns] of Object.entries(narrowed)) {
      this.addSql(`drop index ${collection}_narrowed_idx`);
      this.addSql(narrowedIndex(collection, columns));
    }
  }
}

const narrowed: Record<string, readonly string[]> = {
  posts: ['tags'],
  projects: ['tech_stack', 'tags'],
  courses: ['tags', 'learning_outcomes'],
  talks: [],
  experience: ['bullets', 'skills'],
  education: [],
  skills: [],
  certifications: [],
  pages: [],
};

const narrowedIndex = (table: string, columns: readonly string[]) => `
create index ${table}_narrowed_idx on ${table} using gin (
  site_id collate "C", (case when is_public then site_id end) collate "C", ${[...columns, 'search'].join(', ')}
) with (gin_pending_list_limit = 1024)`;
