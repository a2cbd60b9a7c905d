import { Migration } from '@mikro-orm/migrations';

/**
 * How lists of records are put in order, filtered by any field and searched, each from an index. Any owner of a database
 * may install btree_gin, which puts plain columns into an index of words and comes with PostgreSQL.
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
 * Where a partial date begins, in UTC. It takes every form that is accepted: YYYY, YYYY-MM, YYYY-MM-DD, and date-times with
 * or without seconds, a leap second among them, with any offset. It is stable, since PostgreSQL reads dates by a setting;
 * and one expression, so that it costs no call.
 */
const dateBeginning = `
create function date_beginning(value text) returns timestamptz language sql stable parallel safe as $$
  select case when value < '0001' then '-infinity'::timestamptz else (
    (left(value, 4) || '-' || coalesce(nullif(substr(value, 6, 2), ''), '01') || '-' || coalesce(nullif(substr(value, 9, 2), ''), '01'))::timestamp
    + coalesce(substring(value from '[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:[.][0-9]{1,6})?)?'), '00:00')::interval
    - coalesce(substring(value from '[+-][0-9]{2}:[0-9]{2}$'), '00:00')::interval
  ) at time zone 'UTC' end
$$`;

/* The first 100,000 characters stay below the largest tsvector PostgreSQL takes. */
const searchVector = `
create function search_vector(texts text[]) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('simple'::regconfig, left(array_to_string(texts, ' '), 100000))
$$`;

/** What `q` searches: all that is written in words, but bodies of posts behind a gate. */
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
 * Bodies and search vectors are kept out of the rows proper, the vectors uncompressed: counting and ordering what was
 * found passes over ten times less, and checking a phrase need not decompress.
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
 * One index for whatever a list is narrowed by, and the site in collation "C": a query that compares it that way can be
 * answered by nothing else. It knows the site of what is public, too, since reading that from the records takes as long as
 * all the rest of counting a list that most records belong to. That is an expression with the site, not the column by
 * itself, which would let a query find all that is public on any site by this index. The list of entries still to be sorted
 * in is kept short, since it is searched one by one.
 */
const narrowedIndex = (table: string, columns: readonly string[]) => `
create index ${table}_narrowed_idx on ${table} using gin (
  site_id collate "C", (case when is_public then site_id end) collate "C", ${[...columns, 'search'].join(', ')}
) with (gin_pending_list_limit = 1024)`;

interface Listed {
  /** Orders that many records are listed in. */
  sorts: readonly Sort[];
  /** Short fields that filters ask for. Those that are not here are found in the rows. */
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
 * Readers' records first, and with them what filters ask for, so that a filtered list is walked and counted without a row
 * being read. The site is in collation "POSIX": a query that compares it that way can be answered by nothing else.
 */
const listIndex = (table: string, sort: Sort, filters: readonly string[]) => `
create index ${table}_list_${sort}_idx on ${table} (site_id collate "POSIX", is_public, ${orders[sort]})
  include (${[...['created', 'updated'].filter((moment) => moment !== sort), ...filters].join(', ')})`;

/* What is pinned to the top of a site is little among many posts. */
const pinnedIndex = `
create index posts_pinned_idx on posts (site_id collate "POSIX", ${orders.published_at}) where is_public and featured`;
