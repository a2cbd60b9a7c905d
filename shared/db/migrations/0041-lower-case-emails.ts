import { Migration } from '@mikro-orm/migrations';

/** Addresses of profiles in the form that all other addresses are stored in. They were stored as sent, and always in ASCII. */
export class LowerCaseEmails extends Migration {
  override up() {
    this.addSql('update profiles set email = lower(email) where email <> lower(email)');
  }
}
