import { Migration } from '@mikro-orm/migrations';

/** A code is for whoever asked for it, so that nobody else can use up its tries or replace it. */
export class AskersOfCodes0230 extends Migration {
  override name = '0230-askers-of-codes';

  override up() {
    this.addSql(`
alter table sign_in_codes
  add column asker text not null default '',
  drop constraint sign_in_codes_pkey,
  add primary key (site_id, email, asker)`);
    this.addSql('alter table sign_in_codes alter column asker drop default');
  }
}
