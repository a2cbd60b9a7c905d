import { Migration } from '@mikro-orm/migrations';

/** Browser names and addresses of an owner's sessions, and password reset links. */
export class Accounts extends Migration {
  override up() {
    this.addSql(`
alter table owner_sessions add column last_used_at timestamptz(3), add column browser text, add column address text;

create table password_resets (
  site_id text not null,
  owner_id text not null,
  token_hash text not null,
  is_used boolean not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, owner_id),
  constraint password_resets_token_hash_key unique (token_hash)
);`);
  }
}
