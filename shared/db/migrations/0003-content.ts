import { Migration } from '@mikro-orm/migrations';

/** The records of a site, and which of them were made of what in another system. */
export class Content extends Migration {
  override up() {
    for (const [table, columns] of Object.entries(records)) this.addSql(createTable(table, columns));
    for (const table of scheduled) this.addSql(schedule(table));
    this.addSql(curriculum);
    this.addSql(imported);
  }
}

/** Columns of all records. `revision` counts the writes of a record. */
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

/** Whether readers see a record is a column, which reads, counts, indexes and triggers ask. */
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
 * How a record looks where it is shared. A cover is no foreign key: what was deleted may come back from the trash, from its
 * history or with an import after its picture.
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

/** Drafts can have a moment at which they are published. Not by site: the worker asks what is due of all sites at once. */
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
