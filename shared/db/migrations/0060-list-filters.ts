import { Migration } from '@mikro-orm/migrations';

/** Lists can be filtered by any field, and all content searched, at the cost of the indexes that lists have anyway. */
export class ListFilters0060 extends Migration {
  override name = '0060-list-filters';

  override up() {
    this.addSql(dateBeginning);
    this.addSql(searchVector);
    for (const [collection, words] of Object.entries(searched)) {
      this.addSql(addSearch(collection, words));
      this.addSql(narrowedIndex(collection, lists[collection] ?? []));
    }
    for (const [collection, { sorts, asked }] of Object.entries(listed)) {
      for (const sort of sorts) this.addSql(`drop index if exists ${collection}_public_${sort}_idx`);
      for (const sort of sorts) this.addSql(listIndex(collection, sort, asked));
    }
    this.addSql(membersIndex);
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

/** What `q` searches: all that is written in words. Posts have theirs. */
const searched: Record<string, string> = {
  projects: 'array[title, description] || tech_stack || tags',
  courses: 'array[title, description, instructor_name, instructor_bio] || tags || learning_outcomes',
  talks: 'array[title, event, location, description]',
  experience: 'array[company, title, location, description] || bullets || skills',
  education: 'array[institution, degree, field, description]',
  skills: 'array[name, category, proficiency]',
  certifications: 'array[name, issuer, credential_id]',
  pages: 'array[title, content]',
};

const lists: Record<string, readonly string[]> = {
  projects: ['tech_stack', 'tags'],
  courses: ['tags', 'learning_outcomes'],
  experience: ['bullets', 'skills'],
};

/* Stored as those of posts are: out of the rows proper and uncompressed. */
const addSearch = (table: string, words: string) => `
alter table ${table} set (toast_tuple_target = 512);
alter table ${table}
  add column search tsvector not null generated always as (search_vector(${words})) stored,
  alter column search set storage external`;

const narrowedIndex = (table: string, columns: readonly string[]) => `
create index ${table}_narrowed_idx on ${table} using gin (site_id collate "C", ${[...columns, 'search'].join(', ')})
  with (gin_pending_list_limit = 1024)`;

interface Listed {
  /** Orders that many records are listed in. */
  sorts: readonly Sort[];
  /** Short fields that filters ask for. Those that are not here are found in the rows. */
  asked: readonly string[];
}

type Sort = keyof typeof orders;

const orders = {
  created: 'created desc, id desc',
  updated: 'updated desc, id desc',
  title: 'title collate "und-x-icu", id',
};

const every = ['created', 'updated', 'title'] as const;
const shared = ['visibility', 'is_draft'];

const listed: Record<string, Listed> = {
  posts: { sorts: every, asked: [...shared, 'published_at', 'featured', 'access_tier'] },
  projects: { sorts: every, asked: [...shared, 'status'] },
  courses: {
    sorts: every,
    asked: [
      ...shared,
      ...['instructor_name', 'access_tier', 'price', 'sequential_access'],
      ...['difficulty', 'estimated_hours', 'sort_order'],
    ],
  },
  talks: { sorts: ['created'], asked: [...shared, 'event', 'date', 'location', 'sort_order'] },
  experience: {
    sorts: ['created'],
    asked: [...shared, 'company', 'location', 'start_date', 'end_date', 'sort_order'],
  },
  education: {
    sorts: ['created'],
    asked: [...shared, 'institution', 'degree', 'field', 'start_date', 'end_date', 'sort_order'],
  },
  skills: { sorts: ['created'], asked: ['visibility', 'name', 'category', 'proficiency', 'sort_order'] },
  certifications: {
    sorts: ['created'],
    asked: [...shared, 'name', 'issuer', 'issue_date', 'expiry_date', 'credential_id', 'sort_order'],
  },
  pages: { sorts: ['created'], asked: shared },
};

/*
 * In place of the index that each order had: readers' records first, and with them what filters ask for, so that a filtered
 * list is walked and counted without a row being read. The site is in collation "POSIX": a query that compares it that way
 * can be answered by nothing else.
 */
const listIndex = (table: string, sort: Sort, asked: readonly string[]) => `
create index ${table}_list_${sort}_idx on ${table} (site_id collate "POSIX", is_public, ${orders[sort]})
  include (${[...['created', 'updated'].filter((moment) => moment !== sort), ...asked].join(', ')})`;

/* As for content; a member's last visit, which is written often, is not among its columns. */
const membersIndex = `
drop index members_created_idx;
create index members_created_idx on members (site_id, created desc, id desc)
  include (email, name, status, access_tiers)`;
