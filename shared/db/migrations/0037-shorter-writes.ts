import { Migration } from '@mikro-orm/migrations';

/**
 * Shortens transactions that write many rows, because readers of events wait for their end.
 *
 * The text of a trashed part gets its own column, so that PostgreSQL copies its compressed bytes. As a value in JSON it was
 * decompressed and compressed again, which took twenty times as long.
 *
 * With a trigger before an update, PostgreSQL computes all generated columns again: publishing scheduled drafts computed their search
 * vectors. The trigger that locks the cover therefore runs after the write; others cannot see the record before the lock is held.
 */
export class ShorterWrites extends Migration {
  override up() {
    // `drop trigger` would wait for all readers of the table, and other queries would wait behind it.
    for (const table of ['posts', 'projects', 'courses', 'talks', 'pages'])
      this.addSql(`
create or replace trigger ${table}_cover after insert or update of cover on ${table}
  for each row when (new.cover <> '') execute function hold_cover()`);
    this.addSql('alter table trash_parts add column content text, alter column content set storage external');
  }
}
