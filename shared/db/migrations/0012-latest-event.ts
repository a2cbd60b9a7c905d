import { Migration } from '@mikro-orm/migrations';

/** A site's latest event, which each new one is later than. */
export class LatestEvent extends Migration {
  override up() {
    this.addSql('create index events_latest_idx on events (site_id, occurred_at)');
  }
}
