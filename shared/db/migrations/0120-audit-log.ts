import { Migration } from '@mikro-orm/migrations';

/** Who changed how a site is run, and when. */
export class AuditLog0120 extends Migration {
  override name = '0120-audit-log';

  override up() {
    this.addSql(`
create table audit_log (
  site_id text not null,
  id text not null,
  created timestamptz(3) not null,
  actor jsonb not null,
  action text not null,
  record_id text,
  changed text[] not null,
  primary key (site_id, id)
)`);
    this.addSql('create index audit_log_created_idx on audit_log (site_id, created desc, id desc)');
    // Not by site: what is past its time is removed of all sites at once.
    this.addSql('create index audit_log_age_idx on audit_log (created)');
  }
}
