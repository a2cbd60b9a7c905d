import { Migration } from '@mikro-orm/migrations';

/** Images get a copy 1200 pixels wide, for where pages are shared; those that there are get theirs from the worker, too. */
export class SharedWidth0262 extends Migration {
  override name = '0262-shared-width';

  override up() {
    this.addSql(`
insert into media_to_size (site_id, id, due_at, tries)
select site_id, id, now(), 0 from media where width > 1200 and cardinality(widths) > 0
on conflict do nothing`);
  }
}
