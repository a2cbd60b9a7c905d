import { Migration } from '@mikro-orm/migrations';

/** Addresses at which an owner's browser sends or gets a whole site, each good for one request. */
export class MoveTickets0140 extends Migration {
  override name = '0140-move-tickets';

  override up() {
    this.addSql(`
create table move_tickets (
  site_id text not null,
  token_hash text not null,
  move text not null,
  actor jsonb not null,
  expires_at timestamptz(3) not null,
  primary key (site_id, token_hash)
)`);
  }
}
