import { Migration } from '@mikro-orm/migrations';

/** Times of passes over the events of connected accounts. */
export class Stripe extends Migration {
  override up() {
    this.addSql(`alter table payment_connections
      add column due_at timestamptz(3),
      add column listed_at timestamptz(3)`);
    this.addSql('create index payment_connections_due_idx on payment_connections (due_at)');
    this.addSql('drop trigger payment_connections_updated on payment_connections');
    this.addSql(noteConnectionChange);
  }
}

/* Passes change lease and cursor every minute. Cached pages depend only on what decides whether the site sells. */
const noteConnectionChange = `
create function note_connection_change() returns trigger language plpgsql as $$
begin
  perform count_change(new.site_id, 'payment_connections', 0);
  return null;
end $$;
create trigger payment_connections_updated after update on payment_connections for each row
  when ((old.state, old.livemode, old.public_url, old.key_sealed) is distinct from (new.state, new.livemode, new.public_url, new.key_sealed))
  execute function note_connection_change()`;
