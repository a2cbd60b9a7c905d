import { Migration } from '@mikro-orm/migrations';

/**
 * Indexes for sorting, filtering and searching lists of records. The extension btree_gin allows plain columns in a GIN index; it
 * comes with PostgreSQL, and the owner of a database may create it.
 */
export class Lists extends Migration {
  override up() {
    this.addSql('create extension if not exists btree_gin');
    this.addSql(dateBeginning);
    this.addSql(searchVector);
    for (const [table, vector] of Object.entries(searched)) {
      this.addSql(addSearch(table, vector));
      this.addSql(narrowedIndex(table, narrowedBy[table] ?? []));
    }
    for (const [table, { sorts, filters }] of Object.entries(listed))
      for (const sort of sorts) this.addSql(listIndex(table, sort, filters));
    this.addSql(pinnedIndex);
  }
}

/*
 * Returns the start of a partial date in UTC. Accepts YYYY, YYYY-MM, YYYY-MM-DD, and date-times with any offset, with or without
 * seconds, including a leap second. Not immutable, because PostgreSQL parses dates by a setting. A single expression, so that
 * PostgreSQL inlines it.
 */
const dateBeginning = `
create function date_beginning(value text) returns timestamptz language sql stable parallel safe as $$
  select case when value < '0001' then '-infinity'::timestamptz else (
    (left(value, 4) || '-' || coalesce(nullif(substr(value, 6, 2), ''), '01') || '-' || coalesce(nullif(substr(value, 9, 2), ''), '01'))::timestamp
    + coalesce(substring(value from '[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,6})?)?'), '00:00')::interval
    - coalesce(substring(value from '[+-][0-9]{2}:[0-9]{2}$'), '00:00')::interval
  ) at time zone 'UTC' end
$$`;

/* Indexes the first 100,000 characters only: longer text could exceed the maximum size of a tsvector. */
const searchVector = `
create function search_vector(texts text[]) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('simple'::regconfig, left(array_to_string(texts, ' '), 100000))
$$`;

/** Search vectors by table: all text of a record, except the bodies of gated posts. */
const searched: Record<string, string> = {
  posts: `to_tsvector('simple'::regconfig, title || ' ' || excerpt || ' ' || case when access_tier = 'free' then left(content, 100000) else '' end)`,
  projects: 'search_vector(array[title, description] || tech_stack || tags)',
  courses:
    'search_vector(array[title, description, instructor_name, instructor_bio] || tags || learning_outcomes)',
  talks: 'search_vector(array[title, event, location, description])',
  experience: 'search_vector(array[company, title, location, description] || bullets || skills)',
  education: 'search_vector(array[institution, degree, field, description])',
  skills: 'search_vector(array[name, category, proficiency])',
  certifications: 'search_vector(array[name, issuer, credential_id])',
  pages: 'search_vector(array[title, content])',
};

/*
 * Stores bodies and search vectors outside of the rows (TOAST), so that counting and sorting results reads a tenth of the bytes.
 * Vectors are not compressed, so phrase checks need not decompress them.
 */
const addSearch = (table: string, vector: string) => `
alter table ${table} set (toast_tuple_target = 512);
alter table ${table}
  add column search tsvector not null generated always as (${vector}) stored,
  alter column search set storage external`;

const narrowedBy: Record<string, readonly string[]> = {
  posts: ['tags'],
  projects: ['tech_stack', 'tags'],
  courses: ['tags', 'learning_outcomes'],
  experience: ['bullets', 'skills'],
};

/*
 * One index for all list filters and the search. The site has collation "C": a query that compares it in this collation can use
 * no other index. The second key is the site for public records and null for others, because reading `is_public` from the
 * rows would double the time of counting. An expression with the site prevents that a query uses this index for the public records
 * of all sites. The pending list is short, because every search scans it.
 */
const narrowedIndex = (table: string, columns: readonly string[]) => `
create index ${table}_narrowed_idx on ${table} using gin (
  site_id collate "C", (case when is_public then site_id end) collate "C", ${[...columns, 'search'].join(', ')}
) with (gin_pending_list_limit = 1024)`;

interface Listed {
  /** Orders in which lists with many records are sorted. */
  sorts: readonly Sort[];
  /** Short fields that filters use. Fields that are missing here are read from the rows. */
  filters: readonly string[];
}

type Sort = keyof typeof orders;

const orders = {
  created: 'created desc, id desc',
  updated: 'updated desc, id desc',
  title: 'title collate "und-x-icu", id',
  published_at: 'coalesce(published_at, created) desc, id desc',
};

const every = ['created', 'updated', 'title'] as const;
const shared = ['visibility', 'is_draft'];

const listed: Record<string, Listed> = {
  posts: {
    sorts: [...every, 'published_at'],
    filters: [...shared, 'published_at', 'featured', 'access_tier'],
  },
  projects: { sorts: every, filters: [...shared, 'status'] },
  courses: {
    sorts: every,
    filters: [
      ...shared,
      ...['instructor_name', 'access_tier', 'price', 'sequential_access'],
      ...['difficulty', 'estimated_hours', 'sort_order'],
    ],
  },
  talks: { sorts: ['created'], filters: [...shared, 'event', 'date', 'location', 'sort_order'] },
  experience: {
    sorts: ['created'],
    filters: [...shared, 'company', 'location', 'start_date', 'end_date', 'sort_order'],
  },
  education: {
    sorts: ['created'],
    filters: [...shared, 'institution', 'degree', 'field', 'start_date', 'end_date', 'sort_order'],
  },
  skills: { sorts: ['created'], filters: ['visibility', 'name', 'category', 'proficiency', 'sort_order'] },
  certifications: {
    sorts: ['created'],
    filters: [...shared, 'name', 'issuer', 'issue_date', 'expiry_date', 'credential_id', 'sort_order'],
  },
  pages: { sorts: ['created'], filters: shared },
};

/*
 * Covering index of a list in one order. It contains the filtered fields, so that a filtered list is read and counted without its
 * rows. The site has collation "POSIX": a query that compares it in this collation can use no other index.
 */
const listIndex = (table: string, sort: Sort, filters: readonly string[]) => `
create index ${table}_list_${sort}_idx on ${table} (site_id collate "POSIX", is_public, ${orders[sort]})
  include (${[...['created', 'updated'].filter((moment) => moment !== sort), ...filters].join(', ')})`;

/* Index of pinned posts alone, because a site has few of them among many posts. */
const pinnedIndex = `
create index posts_pinned_idx on posts (site_id collate "POSIX", ${orders.published_at}) where is_public and featured`;
