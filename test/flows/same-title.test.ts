import { expect, test } from 'vitest';
import { startApp, testSecretKey } from '../support/app.ts';
import { createCaller } from '../support/http.ts';
import { findFreePort, startNode } from '../support/process.ts';

const processCount = 3;
const perProcess = 200;

test('records that several processes create concurrently with equal titles, or titles of numbered slugs, all get a slug', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  await using processes = new AsyncDisposableStack();
  const calls = await Promise.all(
    Array.from({ length: processCount }, async () => {
      const PORT = String(await findFreePort());
      const env = {
        NODE_ENV: 'production',
        DATABASE_URL: app.databaseUrl,
        SECRET_KEY: testSecretKey,
        PORT,
        LOG_LEVEL: 'info',
        RATE_LIMIT_NORMAL: 'off',
      };
      await processes.use(startNode(['server/main.ts'], env)).says(/"msg":"ready"/);
      return createCaller(`http://127.0.0.1:${PORT}`);
    }),
  );
  const create = async (call: ReturnType<typeof createCaller>, n: number) => {
    const title = n % 10 === 0 ? `All at once ${n / 10 + 1}` : 'All at once';
    for (;;) {
      const answer = await call('POST', '/api/v1/posts', { key, body: { title } });
      // A slow machine may refuse some of so many concurrent requests.
      if (answer.status !== 503) return answer;
    }
  };
  const answers = await Promise.all(
    calls.flatMap((call) => Array.from({ length: perProcess }, (_, n) => create(call, n))),
  );
  const refused = answers
    .filter(({ status }) => status !== 201)
    .map(({ status, body }) => ({ status, body }));
  expect(Map.groupBy(refused, (answer) => JSON.stringify(answer))).toEqual(new Map());
});
