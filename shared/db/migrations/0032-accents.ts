import { Migration } from '@mikro-orm/migrations';

/**
 * Makes words findable with and without accents: accents are removed from search vectors and titles. All vectors are computed
 * again, while the tables are locked for readers. The extension `unaccent` is not used, because some databases do not
 * have it and its rules differ between servers.
 */
export class Accents extends Migration {
  override up() {
    for (const made of withoutAccents) this.addSql(made);
    this.addSql(searchVector);
    for (const [table, { vector, keys }] of Object.entries(searched)) {
      this.addSql(anew(table, vector));
      this.addSql(wordIndex(table, { name: 'narrowed', keys, rows: 'coalesce(is_public, false)' }));
      this.addSql(wordIndex(table, { name: 'withheld', keys, rows: 'not coalesce(is_public, false)' }));
    }
  }
}

/*
 * Two functions, because PostgreSQL inlines only one without FROM. ASCII text has as many bytes as characters and is returned
 * unchanged. Each further step runs only if a cheaper check finds characters for it. The bodies are parsed at creation, because
 * indexes are built without a search path.
 */
const withoutAccents = [
  `
create function take_accents(value text) returns text language sql immutable parallel safe return (
  select case when whole ~ '[ØøŁłĐđıßẞæÆœŒ]' then
    replace(replace(replace(replace(replace(replace(
      translate(whole, 'ØøŁłĐđı', 'OoLlDdi'), 'ß', 'ss'), 'ẞ', 'SS'), 'æ', 'ae'), 'Æ', 'AE'), 'œ', 'oe'), 'Œ', 'OE')
  else whole end
  from (
    select case when taken ~ '[\\u0530-\\u1dff\\u2c00-\\uffff]' then normalize(taken, nfc) else taken end as whole from (
      select regexp_replace(normalize(value, nfd), '[\\u0300-\\u036f]+', '', 'g') as taken offset 0
    ) apart offset 0
  ) composed
)`,
  `
create function without_accents(value text) returns text language sql immutable parallel safe
  return case when octet_length(value) = length(value) then value else take_accents(value) end`,
];

const searchVector = `
create or replace function search_vector(texts text[]) returns tsvector language sql immutable parallel safe
  return to_tsvector('simple'::regconfig, without_accents(left(array_to_string(texts, ' '), 100000)))`;

const title = "to_tsvector('simple'::regconfig, without_accents(title))";

const searched: Record<string, { vector: string; keys: readonly string[] }> = {
  projects: {
    vector: 'search_vector(array[title, description] || tech_stack || tags)',
    keys: ['tech_stack', 'tags', title],
  },
  courses: {
    vector:
      'search_vector(array[title, description, instructor_name, instructor_bio] || tags || learning_outcomes)',
    keys: ['tags', 'learning_outcomes', title],
  },
  talks: { vector: 'search_vector(array[title, event, location, description])', keys: [title] },
  experience: {
    vector: 'search_vector(array[company, title, location, description] || bullets || skills)',
    keys: ['bullets', 'skills'],
  },
  education: { vector: 'search_vector(array[institution, degree, field, description])', keys: [] },
  skills: { vector: 'search_vector(array[name, category, proficiency])', keys: [] },
  certifications: { vector: 'search_vector(array[name, issuer, credential_id])', keys: [] },
  pages: { vector: 'search_vector(array[title, content])', keys: [title] },
  // Last, because it is the largest table: its lock is held until the migration ends, others would be held as long.
  posts: {
    vector: `to_tsvector('simple'::regconfig, without_accents(title || ' ' || excerpt || ' ' || case when access_tier = 'free' then left(content, 100000) else '' end))`,
    keys: ['tags', title],
  },
};

/* Dropping the column drops its indexes, too. */
const anew = (table: string, vector: string) => `
alter table ${table}
  drop column search,
  add column search tsvector not null generated always as (${vector}) stored,
  alter column search set storage external`;

const wordIndex = (
  table: string,
  { name, keys, rows }: { name: string; keys: readonly string[]; rows: string },
) => `
create index ${table}_${name}_idx on ${table} using gin (
  site_id collate "C", ${[...keys, 'search'].join(', ')}
) with (gin_pending_list_limit = 1024) where ${rows}`;
