import { Migration } from '@mikro-orm/migrations';

/** Sites, their owners and keys, and the v1 content. */
export class Content0001 extends Migration {
  override name = '0001-content';

  override up() {
    this.addSql(sql);
  }
}

const sql = `
create table sites (
  id text not null,
  name text not null,
  plan text not null,
  subdomain text,
  custom_domain text,
  mcp_enabled boolean not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (id),
  constraint sites_subdomain_key unique (subdomain),
  constraint sites_custom_domain_key unique (custom_domain)
);

create table owners (
  site_id text not null,
  id text not null,
  email text not null,
  name text not null,
  password_hash text not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint owners_email_key unique (email)
);

create table profiles (
  site_id text not null,
  name text not null,
  headline text not null,
  summary text not null,
  location text not null,
  avatar_url text not null,
  website text not null,
  github text not null,
  linkedin text not null,
  twitter text not null,
  email text not null,
  cta_text text not null,
  cta_url text not null,
  cta_enabled boolean not null,
  updated timestamptz(3) not null,
  primary key (site_id)
);

create table api_keys (
  site_id text not null,
  id text not null,
  name text not null,
  key_hash text not null,
  key_prefix text not null,
  previous_key_hash text,
  previous_key_expires_at timestamptz(3),
  scopes text[] not null,
  allowed_origins text[] not null,
  active boolean not null,
  expiry timestamptz(3),
  last_used_at timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_previous_key_hash_key unique (previous_key_hash)
);

create table posts (
  site_id text not null,
  id text not null,
  title text not null,
  slug text not null,
  content text not null,
  excerpt text not null,
  visibility text not null,
  is_draft boolean not null,
  published_at timestamptz(3),
  featured boolean not null,
  tags text[] not null,
  access_tier text not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint posts_slug_key unique (site_id, slug)
);

create index posts_public_created_idx on posts (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create index posts_public_updated_idx on posts (site_id, updated desc, id desc)
  where visibility = 'public' and not is_draft;

create index posts_public_title_idx on posts (site_id, title collate "und-x-icu", id)
  where visibility = 'public' and not is_draft;

create index posts_tags_idx on posts using gin (tags);

-- Gated bodies are not searched. The first 100,000 characters stay below the largest tsvector that PostgreSQL takes.
create index posts_search_idx on posts using gin (
  to_tsvector('simple', title || ' ' || excerpt || ' ' || case when access_tier = 'free' then left(content, 100000) else '' end)
);

create table projects (
  site_id text not null,
  id text not null,
  title text not null,
  slug text not null,
  description text not null,
  url text not null,
  repo_url text not null,
  status text not null,
  visibility text not null,
  is_draft boolean not null,
  tech_stack text[] not null,
  tags text[] not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint projects_slug_key unique (site_id, slug)
);

create index projects_public_created_idx on projects (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create index projects_public_updated_idx on projects (site_id, updated desc, id desc)
  where visibility = 'public' and not is_draft;

create index projects_public_title_idx on projects (site_id, title collate "und-x-icu", id)
  where visibility = 'public' and not is_draft;

create table courses (
  site_id text not null,
  id text not null,
  title text not null,
  slug text not null,
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
  visibility text not null,
  is_draft boolean not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint courses_slug_key unique (site_id, slug)
);

create index courses_public_created_idx on courses (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create index courses_public_updated_idx on courses (site_id, updated desc, id desc)
  where visibility = 'public' and not is_draft;

create index courses_public_title_idx on courses (site_id, title collate "und-x-icu", id)
  where visibility = 'public' and not is_draft;

create table talks (
  site_id text not null,
  id text not null,
  title text not null,
  event text not null,
  event_url text not null,
  date text,
  location text not null,
  description text not null,
  slides_url text not null,
  video_url text not null,
  visibility text not null,
  is_draft boolean not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);

create index talks_public_created_idx on talks (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create table experience (
  site_id text not null,
  id text not null,
  company text not null,
  title text not null,
  location text not null,
  start_date text,
  end_date text,
  description text not null,
  bullets text[] not null,
  skills text[] not null,
  visibility text not null,
  is_draft boolean not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);

create index experience_public_created_idx on experience (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create table education (
  site_id text not null,
  id text not null,
  institution text not null,
  degree text not null,
  field text not null,
  start_date text,
  end_date text,
  description text not null,
  visibility text not null,
  is_draft boolean not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);

create index education_public_created_idx on education (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create table skills (
  site_id text not null,
  id text not null,
  name text not null,
  category text not null,
  proficiency text not null,
  visibility text not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);

create index skills_public_created_idx on skills (site_id, created desc, id desc)
  where visibility = 'public';

create table certifications (
  site_id text not null,
  id text not null,
  name text not null,
  issuer text not null,
  issue_date text,
  expiry_date text,
  credential_id text not null,
  credential_url text not null,
  visibility text not null,
  is_draft boolean not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id)
);

create index certifications_public_created_idx on certifications (site_id, created desc, id desc)
  where visibility = 'public' and not is_draft;

create table pages (
  site_id text not null,
  id text not null,
  title text not null,
  slug text not null,
  content text not null,
  visibility text not null,
  is_draft boolean not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint pages_slug_key unique (site_id, slug)
);
`;
