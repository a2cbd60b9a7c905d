import { Migration } from '@mikro-orm/migrations';

/**
 * What readers search is in indexes of its own, which nothing enters that they may not read: drafts and what is private or
 * unlisted have others, for their owner. Titles are a key by themselves, so that what has the words there comes first.
 */
export class Search extends Migration {
  override up() {
    for (const [table, columns] of Object.entries(narrowedBy)) {
      this.addSql(wordIndex(table, { name: 'open', columns, rows: 'coalesce(is_public, false)' }));
      this.addSql(wordIndex(table, { name: 'withheld', columns, rows: 'not coalesce(is_public, false)' }));
    }
    // Last, since readers have to wait from the first of these on.
    for (const table of Object.keys(narrowedBy)) {
      this.addSql(`drop index ${table}_narrowed_idx`);
      this.addSql(`alter index ${table}_open_idx rename to ${table}_narrowed_idx`);
    }
  }
}

const title = "to_tsvector('simple'::regconfig, title)";

/** The keys of each besides the site and the words of all its text. */
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
 * As before, the site in collation "C", by which nothing else can answer. Which rows are in it is written in a form that no
 * plain index takes for its own, and that finds all that is public on any site.
 */
const wordIndex = (table: string, { name, columns, rows }: Index) => `
create index ${table}_${name}_idx on ${table} using gin (
  site_id collate "C", ${[...columns, 'search'].join(', ')}
) with (gin_pending_list_limit = 1024) where ${rows}`;
