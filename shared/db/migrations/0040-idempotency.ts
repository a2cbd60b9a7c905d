import { Migration } from '@mikro-orm/migrations';

/** Answers of writes that named an `Idempotency-Key`, for those who ask again. */
export class Idempotency0040 extends Migration {
  override name = '0040-idempotency';

  override up() {
    // A row gets its answer in the transaction that inserts it: room on its page keeps that update away from the index.
    this.addSql(`
create table idempotency_keys (
  site_id text not null,
  credential text not null,
  key text not null,
  request_hash text not null,
  answer_sealed text,
  claimed_until timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (site_id, credential, key)
) with (fillfactor = 70)`);
  }
}
