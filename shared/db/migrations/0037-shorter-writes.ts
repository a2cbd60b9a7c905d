import { Migration } from '@mikro-orm/migrations';

/**
 * What many rows are written by in one transaction takes less time, for whoever reads events waits for its end.
 *
 * The text of a part that goes to the trash is a column there, so that PostgreSQL moves its compressed bytes as they are.
 * As one of the values of a JSON it was unpacked, written out and compressed anew, there and back, which took twenty times
 * as long. What can't be compressed is not tried again.
 *
 * Where a trigger runs before an update, PostgreSQL computes all columns that are made of others anew, whatever was
 * changed, and stores them anew: to publish what was scheduled made the words of all its texts again. The lock of a picture
 * is as good behind the write, since nobody reads the record before it is held.
 */
export class ShorterWrites extends Migration {
  override up() {
    // To drop a trigger would wait for whoever reads the table, and have all others wait for that.
    for (const table of ['posts', 'projects', 'courses', 'talks', 'pages'])
      this.addSql(`
create or replace trigger ${table}_cover after insert or update of cover on ${table}
  for each row when (new.cover <> '') execute function hold_cover()`);
    this.addSql('alter table trash_parts add column content text, alter column content set storage external');
  }
}
