import { Migration } from '@mikro-orm/migrations';

/** Connected assistants: registered clients, sign-in requests, grants and tokens. */
export class Assistants extends Migration {
  override up() {
    this.addSql(`
create table oauth_clients (
  site_id text not null,
  id text not null,
  name text not null,
  redirect_uris text[] not null,
  is_used boolean not null,
  created timestamptz(3) not null,
  primary key (site_id, id)
);
create index oauth_clients_unused_idx on oauth_clients (site_id, created) where not is_used;

create table oauth_grants (
  site_id text not null,
  id text not null,
  client_id text not null,
  client_name text not null,
  client_host text,
  redirect_uri text not null,
  state text,
  code_challenge text not null,
  issuer text not null,
  asked text[] not null,
  scopes text[] not null,
  person_id text,
  created timestamptz(3) not null,
  last_used_at timestamptz(3),
  ends_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (site_id, id)
);
create index oauth_grants_expires_idx on oauth_grants (expires_at);
create index oauth_grants_person_idx on oauth_grants (person_id) where person_id is not null;

create table oauth_tokens (
  site_id text not null,
  token_hash text not null,
  grant_id text not null,
  kind text not null,
  replaced_at timestamptz(3),
  successor_sealed text,
  expires_at timestamptz(3) not null,
  primary key (site_id, token_hash),
  constraint oauth_tokens_token_hash_key unique (token_hash)
);
create index oauth_tokens_grant_idx on oauth_tokens (site_id, grant_id);
create index oauth_tokens_sealed_idx on oauth_tokens (site_id, grant_id) where successor_sealed is not null;
create index oauth_tokens_expires_idx on oauth_tokens (expires_at);`);
  }
}
