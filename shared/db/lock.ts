import pg from 'pg';

/** What only one process of this service does at a time, each with a number of its own. */
const locks = { migrate: 4_210_871, firstSite: 4_210_872 };

/** Does `work` while no other process does what has this lock; one that comes at the same moment waits. */
export async function withLock<T>(url: string, lock: keyof typeof locks, work: () => Promise<T>): Promise<T> {
  const guard = new pg.Client({ connectionString: url });
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [locks[lock]]);
    return await work();
  } finally {
    await guard.end();
  }
}
