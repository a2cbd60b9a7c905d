import { Migration } from '@mikro-orm/migrations';

/** Records of a site, and the IDs of imported records in their source systems. */
export class Content extends Migration {
  override up() {
    for (const [table, columns] of Object.entries(records)) this.addSql(createTable(table, columns));
    for (const table of scheduled) this.addSql(schedule(table));
    this.addSql(curriculum);
    this.addSql(imported);
  }
}

/** Returns the SQL of a table with the columns of all records. `revision` is the number of writes. */
const createTable = (table: string, columns: string) => `
create table ${table} (
  site_id text not null,
  id text not null,
  ${columns.trim()},
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  revision integer not null default 1,
  primary key (site_id, id)
)`;

/** Columns of records with drafts. `is_public` is stored because queries, counts, indexes and triggers use it. */
const drafts = `
  visibility text not null,
  is_draft boolean not null,
  publish_at timestamptz(3),
  is_public boolean not null generated always as (visibility = 'public' and not is_draft) stored`;

/** Slugs are unique per site. */
const slug = (table: string) => `
  slug text not null,
  constraint ${table}_slug_key unique (site_id, slug)`;

/**
 * Columns for previews of shared links. `cover` has no foreign key, because a record can be restored or imported before its
 * image.
 */
const sharing = `
  cover text not null,
  meta_title text not null,
  meta_description text not null`;

const records: Record<string, string> = {
  posts: `
  title text not null,
  content text not null,
  excerpt text not null,
  published_at timestamptz(3),
  featured boolean not null,
  tags text[] not null,
  access_tier text not null,
  ${slug('posts')},
  ${drafts},
  ${sharing}`,
  projects: `
  title text not null,
  description text not null,
  url text not null,
  repo_url text not null,
  status text not null,
  tech_stack text[] not null,
  tags text[] not null,
  ${slug('projects')},
  ${drafts},
  ${sharing}`,
  courses: `
  title text not null,
  description text not null,
  instructor_name text not null,
  instructor_bio text not null,
  access_tier text not null,
  price numeric,
  sequential_access boolean not null,
  difficulty text not null,
  estimated_hours numeric,
  tags text[] not null,
  learning_outcomes text[] not null,
  sort_order integer not null,
  ${slug('courses')},
  ${drafts},
  ${sharing}`,
  talks: `
  title text not null,
  event text not null,
  event_url text not null,
  date text,
  location text not null,
  description text not null,
  slides_url text not null,
  video_url text not null,
  sort_order integer not null,
  ${drafts},
  ${sharing}`,
  experience: `
  company text not null,
  title text not null,
  location text not null,
  start_date text,
  end_date text,
  description text not null,
  bullets text[] not null,
  skills text[] not null,
  sort_order integer not null,
  ${drafts}`,
  education: `
  institution text not null,
  degree text not null,
  field text not null,
  start_date text,
  end_date text,
  description text not null,
  sort_order integer not null,
  ${drafts}`,
  skills: `
  name text not null,
  category text not null,
  proficiency text not null,
  sort_order integer not null,
  visibility text not null,
  is_public boolean not null generated always as (visibility = 'public') stored`,
  certifications: `
  name text not null,
  issuer text not null,
  issue_date text,
  expiry_date text,
  credential_id text not null,
  credential_url text not null,
  sort_order integer not null,
  ${drafts}`,
  pages: `
  title text not null,
  content text not null,
  ${slug('pages')},
  ${drafts},
  ${sharing}`,
};

const scheduled = Object.keys(records).filter((table) => table !== 'skills');

/** Publication time of drafts. The index has no site, because the worker selects due drafts of all sites. */
const schedule = (table: string) => `
alter table ${table} add constraint ${table}_publish_at_check check (publish_at is null or is_draft);
create index ${table}_publish_at_idx on ${table} (publish_at) where publish_at is not null`;

const curriculum = `
${createTable(
  'modules',
  `
  course_id text not null,
  title text not null,
  sort_order integer not null,
  is_public boolean not null generated always as (true) stored,
  constraint modules_course_fkey foreign key (site_id, course_id) references courses (site_id, id) on delete cascade`,
)};
create index modules_course_idx on modules (site_id, course_id, sort_order);
${createTable(
  'lessons',
  `
  module_id text not null,
  title text not null,
  content text not null,
  video_url text not null,
  sort_order integer not null,
  is_public boolean not null generated always as (true) stored,
  constraint lessons_module_fkey foreign key (site_id, module_id) references modules (site_id, id) on delete cascade`,
)};
create index lessons_module_idx on lessons (site_id, module_id, sort_order)`;

const imported = `
-- Which record was made of what in another system, so that importing it again makes no second one.
create table imported_records (
  site_id text not null,
  source text not null,
  collection text not null,
  source_id text not null,
  record_id text not null,
  created timestamptz(3) not null,
  primary key (site_id, source, collection, source_id)
)`;
