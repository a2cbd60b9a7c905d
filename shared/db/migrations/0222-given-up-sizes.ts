import { Migration } from '@mikro-orm/migrations';

/** Why an image gets no smaller copies, where that is its own fault: it stays on the list, and can be asked for again. */
export class GivenUpSizes0222 extends Migration {
  override name = '0222-given-up-sizes';

  override up() {
    this.addSql('alter table media_to_size add column given_up text');
  }
}
