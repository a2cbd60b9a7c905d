import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { toApiError } from '../../server/api/api-error.ts';
import { startApp } from '../support/app.ts';

// PostgreSQL ends the transaction of a process that pauses, because it blocks others. Nothing was written, so that
// callers can repeat their request.

for (const statement of ['select 1', 'commit'] as const) {
  const refusalOf = async (beforeSending: () => unknown) => {
    await using app = await startApp();
    const transaction = app.deps.database.em.fork();
    await transaction.begin();
    await transaction.execute('set local idle_in_transaction_session_timeout = 10');
    await beforeSending();
    const sent = statement === 'commit' ? transaction.commit() : transaction.execute(statement);
    const error: unknown = await sent.catch((error: unknown) => error);
    await transaction.rollback().catch(() => {});
    return toApiError(error, true).errorCode;
  };

  test(`\`${statement}\` is database_busy if it is sent before the process learns of the end`, async () => {
    expect(await refusalOf(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500))).toBe(
      'database_busy',
    );
  });

  test(`\`${statement}\` is database_unavailable if it is sent afterwards`, async () => {
    expect(await refusalOf(() => delay(500))).toBe('database_unavailable');
  });
}
