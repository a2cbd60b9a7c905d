import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { classifyDatabaseError } from '../../shared/db/database-errors.ts';
import { serverWaits } from '../../shared/db/database-timeouts.ts';
import { startEmbeddedDatabase } from '../../shared/postgres/index.ts';
import { startApp } from '../support/app.ts';
import { makeDatabaseFolder } from '../support/database-folder.ts';
import { eventually } from '../support/eventually.ts';
import { failure } from '../support/http.ts';
import { freezeFamily, parentOf } from '../support/process.ts';
import { migrateTemplate } from '../support/template-database.ts';

const waits = { ...serverWaits, connectionMs: 3_000, readMs: 3_000, transactionMs: 3_000, silenceMs: 100 };
const busy = failure(503, 'database_busy', 'the database is busy; try again');

test.skipIf(process.platform !== 'linux')(
  'while PostgreSQL is frozen every request is answered within the limits, and afterwards the service resumes',
  async () => {
    const dataDir = await makeDatabaseFolder('creator-content-frozen-');
    await using cleanUp = new AsyncDisposableStack();
    cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
    const postgres = await startEmbeddedDatabase({ dataDir, durable: false });
    cleanUp.defer(() => postgres.stop());
    await migrateTemplate(postgres.url);
    const app = cleanUp.use(await startApp({ serverUrl: postgres.url, waits }));
    const key = await app.seed.key();
    const read = (slug: string) => app.get(`/api/v1/posts/${slug}`, { key });
    expect(await read('before')).toMatchObject({ status: 404 });
    const [row] = await app.deps.database.em.execute<{ pid: number }[]>('select pg_backend_pid() as pid');
    const execute = (statement: string) => app.deps.database.em.execute(statement);
    const writes = [
      'update sites set name = name',
      '/* prepared statement */ with written as (insert into skills select from skills where false) select',
    ];
    // Wait until the pool has opened all its connections.
    await Promise.all(writes.map(() => execute('select pg_sleep(0.1)')));
    const server = await parentOf(Number(row?.pid));

    const goOn = await freezeFamily(server ?? Number.NaN);
    try {
      // These writes may still succeed after PostgreSQL resumes, so the response does not suggest a retry.
      const done = await Promise.all(writes.map((write) => execute(write).catch(classifyDatabaseError)));
      expect(done).toEqual(writes.map(() => null));
      const reads = await Promise.all(Array.from({ length: 30 }, (_, n) => read(`frozen-${n}`)));
      expect(reads).toEqual(Array(30).fill(busy));
      expect(await app.post('/api/v1/posts', { key, body: { title: 'Frozen' } })).toEqual(busy);
      app.clock.advance({ seconds: 1 });
      const requested = await Promise.all(Array.from({ length: 30 }, () => app.get('/readyz')));
      expect(requested.map(({ status }) => status)).toEqual(Array(30).fill(503));
      expect(await app.get('/healthz')).toMatchObject({ status: 200 });
    } finally {
      goOn();
    }

    await eventually(async () => {
      app.clock.advance({ seconds: 1 });
      return (await app.get('/readyz')).status === 200;
    });
    expect(await app.post('/api/v1/posts', { key, body: { title: 'Thawed' } })).toMatchObject({
      status: 201,
    });
    expect(await read('thawed')).toMatchObject({ status: 200 });
  },
);
