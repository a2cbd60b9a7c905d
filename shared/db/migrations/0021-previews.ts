import { Migration } from '@mikro-orm/migrations';

/** Preview links: anyone with such a link can read the draft. */
export class Previews extends Migration {
  override up() {
    this.addSql(`
create table previews (
  site_id text not null,
  id text not null,
  collection text not null,
  record_id text not null,
  "as" text not null,
  token_hash text not null,
  created timestamptz(3) not null,
  ends_at timestamptz(3) not null,
  primary key (site_id, id),
  constraint previews_token_key unique (site_id, token_hash)
);`);
  }
}
