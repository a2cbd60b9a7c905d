import { Migration } from '@mikro-orm/migrations';

/** Members with sessions and sign-in codes, purchases, enrollments, testimonials and subscribers. */
export class Audience extends Migration {
  override up() {
    this.addSql(members);
    this.addSql(visitors);
  }
}

/*
 * `is_public` is true for every member, because triggers count the rows of a table by it. A sign-in code belongs to the
 * browser that requested it (`asker`), so that no one else can use up its tries or replace it.
 */
const members = `
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
  is_public boolean not null generated always as (true) stored,
  primary key (site_id, id),
  constraint members_email_key unique (site_id, email)
);
-- Lists and their filters are answered by the index. The last visit, which is written often, is not among its columns.
create index members_created_idx on members (site_id, created desc, id desc)
  include (email, name, status, access_tiers);

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
  asker text not null,
  name text not null,
  code_sealed text not null,
  tries_left integer not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, email, asker)
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
create index purchases_created_idx on purchases (site_id, created desc, id desc);

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
create index enrollments_created_idx on enrollments (site_id, created desc, id desc);
`;

const visitors = `
create table testimonials (
  site_id text not null,
  id text not null,
  name text not null,
  email text not null,
  company text not null,
  role text not null,
  content text not null,
  rating integer,
  approved boolean not null,
  created timestamptz(3) not null,
  is_public boolean not null generated always as (approved) stored,
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
`;
