import { Migration } from '@mikro-orm/migrations';

/** Second factors of people, the time of their last proof, and pending challenges. */
export class Factors extends Migration {
  override up() {
    this.addSql(`
alter table owner_sessions add column proved_at timestamptz(3);

create table factors (
  person_id text not null,
  id text not null,
  kind text not null,
  name text not null,
  secret_sealed text,
  last_step integer,
  credential_id text,
  public_key text,
  counter bigint,
  transports text[] not null,
  created timestamptz(3) not null,
  last_used_at timestamptz(3),
  primary key (person_id, id),
  constraint factors_credential_id_key unique (credential_id)
);

create table recovery_codes (
  person_id text not null,
  code_hash text not null,
  primary key (person_id, code_hash)
);

create table factor_challenges (
  token_hash text not null,
  purpose text not null,
  person_id text,
  wanted_site text,
  secret_sealed text,
  tries integer not null,
  is_passed boolean not null,
  is_used boolean not null,
  expires_at timestamptz(3) not null,
  primary key (token_hash)
);
create index factor_challenges_person_idx on factor_challenges (person_id);
create index factor_challenges_expires_idx on factor_challenges (expires_at);`);
  }
}
