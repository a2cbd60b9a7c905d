import { Migration } from '@mikro-orm/migrations';

/**
 * Separate search indexes for public records, which readers search, and for all other records, which only staff search. Titles are
 * an additional key, so that matches in titles can be listed first.
 */
export class Search extends Migration {
  override up() {
    for (const [table, columns] of Object.entries(narrowedBy)) {
      this.addSql(wordIndex(table, { name: 'open', columns, rows: 'coalesce(is_public, false)' }));
      this.addSql(wordIndex(table, { name: 'withheld', columns, rows: 'not coalesce(is_public, false)' }));
    }
    // Last, because these statements lock the tables, and readers wait for them.
    for (const table of Object.keys(narrowedBy)) {
      this.addSql(`drop index ${table}_narrowed_idx`);
      this.addSql(`alter index ${table}_open_idx rename to ${table}_narrowed_idx`);
    }
  }
}

const title = "to_tsvector('simple'::regconfig, title)";

/** Index keys by table, in addition to the site and the search vector. */
const narrowedBy: Record<string, readonly string[]> = {
  posts: ['tags', title],
  projects: ['tech_stack', 'tags', title],
  courses: ['tags', 'learning_outcomes', title],
  talks: [title],
  experience: ['bullets', 'skills'],
  education: [],
  skills: [],
  certifications: [],
  pages: [title],
};

interface Index {
  name: string;
  columns: readonly string[];
  rows: string;
}

/*
 * The site has collation "C": a query that compares it in this collation can use no other index. `rows` is written as `coalesce(…)`,
 * because PostgreSQL uses a partial index only for queries with the same expression: others cannot use it for records of all sites.
 */
const wordIndex = (table: string, { name, columns, rows }: Index) => `
create index ${table}_${name}_idx on ${table} using gin (
  site_id collate "C", ${[...columns, 'search'].join(', ')}
) with (gin_pending_list_limit = 1024) where ${rows}`;
