import { Migration } from '@mikro-orm/migrations';

/** Index for the latest event of a site: the time of a new event must be later. */
export class LatestEvent extends Migration {
  override up() {
    this.addSql('create index events_latest_idx on events (site_id, occurred_at)');
  }
}
