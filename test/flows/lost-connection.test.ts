import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openDatabase } from '../../shared/db/config.ts';
import { startApp } from '../support/app.ts';
import { withPort } from '../support/delivery-stage.ts';
import { eventually } from '../support/eventually.ts';
import { startProxy } from '../support/tcp-proxy.ts';

test('connections that break at any point of a transaction are returned to the pool and replaced', async () => {
  await using app = await startApp();
  await using proxy = await startProxy({ port: Number(new URL(app.databaseUrl).port) });
  const url = withPort(app.databaseUrl, proxy.port);
  const database = await openDatabase({ url, poolSize: 3, applicationName: 'unlucky' });
  const transact = () =>
    database.em.fork().transactional(async (em) => {
      await em.execute('select 1');
      const { rows } = await sql<{ two: number }>`select 2 as two`.execute(em.getKysely());
      return rows;
    });
  let cutting = true;
  const ended = { well: 0, badly: 0 };
  const busy = Array.from({ length: 6 }, async () => {
    while (cutting)
      await transact().then(
        () => ended.well++,
        () => ended.badly++,
      );
  });
  for (let cuts = 0; cuts < 15; cuts++) {
    const { well } = ended;
    await eventually(() => ended.well > well + cuts);
    proxy.refuse();
    proxy.accept();
  }
  cutting = false;
  await Promise.all(busy);
  expect(ended.badly).toBeGreaterThan(3);
  expect(await Promise.all([1, 2, 3, 4].map(transact))).toEqual([1, 2, 3, 4].map(() => [{ two: 2 }]));
  await database.close();
});
