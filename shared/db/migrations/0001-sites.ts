import { Migration } from '@mikro-orm/migrations';

/** Sites, owners, owner sessions, profiles, API keys, the audit log and transfer tickets. */
export class Sites extends Migration {
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
  language text not null,
  theme jsonb not null,
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

create table owner_sessions (
  site_id text not null,
  id text not null,
  owner_id text not null,
  token_hash text not null,
  expires_at timestamptz(3) not null,
  created timestamptz(3) not null,
  primary key (site_id, id),
  constraint owner_sessions_token_hash_key unique (token_hash)
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
  is_public boolean not null generated always as (true) stored,
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

create table audit_log (
  site_id text not null,
  id text not null,
  created timestamptz(3) not null,
  actor jsonb not null,
  action text not null,
  record_id text,
  changed text[] not null,
  primary key (site_id, id)
);
create index audit_log_created_idx on audit_log (site_id, created desc, id desc);
-- Not by site: what is past its time is removed of all sites at once.
create index audit_log_age_idx on audit_log (created);

-- Addresses at which an owner's browser sends or gets a whole site, each good for one request.
create table move_tickets (
  site_id text not null,
  token_hash text not null,
  move text not null,
  actor jsonb not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, token_hash)
);
`;
