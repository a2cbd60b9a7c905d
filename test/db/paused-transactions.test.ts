import { expect, test } from 'vitest';
import { z } from 'zod';
import { toApiError } from '../../server/api/api-error.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { isRunning } from '../support/process.ts';

// PostgreSQL ends the transaction of a process that pauses, because it blocks others. Nothing was written, so that
// callers can repeat their request.

/** Milliseconds after which PostgreSQL ends the transaction. A process on a busy machine pauses earlier. */
const pausedAfterMs = 1_000;

for (const statement of ['select 1', 'commit'] as const) {
  const refusalOf = async (untilEnded: (pid: number, app: TestApp) => unknown) => {
    await using app = await startApp();
    const transaction = app.deps.database.em.fork();
    await transaction.begin();
    const [{ pid }] = Backend.parse(await transaction.execute('select pg_backend_pid() as pid'));
    await transaction.execute(`set local idle_in_transaction_session_timeout = ${pausedAfterMs}`);
    await untilEnded(pid, app);
    const sent = statement === 'commit' ? transaction.commit() : transaction.execute(statement);
    const error: unknown = await sent.catch((error: unknown) => error);
    await transaction.rollback().catch(() => {});
    return toApiError(error, true).errorCode;
  };

  test(`\`${statement}\` is database_busy if it is sent before the process learns of the end`, async () => {
    expect(await refusalOf(blockUntilEnded)).toBe('database_busy');
  });

  test(`\`${statement}\` is database_unavailable if it is sent afterwards`, async () => {
    expect(await refusalOf(readUntilEnded)).toBe('database_unavailable');
  });
}

const Backend = z.tuple([z.object({ pid: z.int() })]);

/** Blocks this thread, so that it reads nothing from its connections. */
function blockUntilEnded(pid: number) {
  const never = new Int32Array(new SharedArrayBuffer(4));
  while (isRunning(pid)) Atomics.wait(never, 0, 0, 10);
}

/** Reads what connections receive, until the end of the transaction is known. */
async function readUntilEnded(pid: number, app: TestApp) {
  await eventually(() => !isRunning(pid));
  // The response to a later query is read after the message about the end.
  await app.deps.database.em.execute('select 1');
}
