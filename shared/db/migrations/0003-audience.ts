import { Migration } from '@mikro-orm/migrations';

/** Curriculum, members, purchases, enrolments, testimonials, subscribers and analytics. */
export class Audience0003 extends Migration {
  override name = '0003-audience';

  override up() {
    this.addSql(sql);
  }
}

const sql = `
create table modules (
  site_id text not null,
  id text not null,
  course_id text not null,
  title text not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint modules_course_fkey foreign key (site_id, course_id) references courses (site_id, id) on delete cascade
);
create index modules_course_idx on modules (site_id, course_id, sort_order);

create table lessons (
  site_id text not null,
  id text not null,
  module_id text not null,
  title text not null,
  content text not null,
  video_url text not null,
  sort_order integer not null,
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint lessons_module_fkey foreign key (site_id, module_id) references modules (site_id, id) on delete cascade
);
create index lessons_module_idx on lessons (site_id, module_id, sort_order);

create table members (
  site_id text not null,
  id text not null,
  email text not null,
  name text not null,
  status text not null,
  access_tiers text[] not null,
  last_seen_at timestamptz(3),
  created timestamptz(3) not null,
  updated timestamptz(3) not null,
  primary key (site_id, id),
  constraint members_email_key unique (site_id, email)
);
create index members_created_idx on members (site_id, created desc, id desc);

create table member_sessions (
  site_id text not null,
  id text not null,
  member_id text not null,
  token_hash text not null,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint member_sessions_token_hash_key unique (token_hash)
);

create table sign_in_codes (
  site_id text not null,
  email text not null,
  name text not null,
  code_sealed text not null,
  tries_left integer not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, email)
);

create table purchases (
  site_id text not null,
  id text not null,
  buyer_email text not null,
  content_type text not null,
  content_id text not null,
  amount numeric not null,
  currency text not null,
  created timestamptz(3) not null,
  primary key (site_id, id)
);
create index purchases_buyer_idx on purchases (site_id, buyer_email);

create table enrollments (
  site_id text not null,
  id text not null,
  course_id text not null,
  buyer_email text not null,
  completed_at timestamptz(3),
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint enrollments_once_key unique (site_id, course_id, buyer_email)
);

create table testimonials (
  site_id text not null,
  id text not null,
  name text not null,
  email text not null,
  company text not null,
  role text not null,
  content text not null,
  rating integer,
  created timestamptz(3) not null,
  primary key (site_id, id)
);
create index testimonials_created_idx on testimonials (site_id, created desc, id desc);

create table subscribers (
  site_id text not null,
  id text not null,
  email text not null,
  name text not null,
  source text not null,
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint subscribers_email_key unique (site_id, email)
);
create index subscribers_created_idx on subscribers (site_id, created desc, id desc);

-- Raw views, one partition a day (UTC); a day is dropped as a whole. Partitions are made when first needed.
create table page_views (
  site_id text not null,
  day date not null,
  path text not null,
  referrer text not null,
  utm_source text not null,
  utm_medium text not null,
  utm_campaign text not null,
  visitor bigint not null
) partition by range (day);
create index page_views_site_idx on page_views (site_id, day);

-- Views of a finished day, counted by one dimension: total, path, referrer or utm (whose label is a JSON list).
create table page_view_days (
  site_id text not null,
  day date not null,
  dimension text not null,
  label text not null,
  views integer not null,
  visitors integer not null,
  primary key (site_id, day, dimension, label)
);

create table page_view_rollups (
  day date not null,
  primary key (day)
);

-- What visitors are hashed with on one day. Thrown away afterwards, so that no hash can be traced back.
create table page_view_salts (
  day date not null,
  salt text not null,
  primary key (day)
);
`;
