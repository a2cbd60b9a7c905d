import { Migration } from '@mikro-orm/migrations';

/** Owners list purchases and enrolments, newest first. */
export class AudienceLists0030 extends Migration {
  override name = '0030-audience-lists';

  override up() {
    this.addSql('create index purchases_created_idx on purchases (site_id, created desc, id desc)');
    this.addSql('create index enrollments_created_idx on enrollments (site_id, created desc, id desc)');
  }
}
