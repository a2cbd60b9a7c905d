import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createClient, pages } from '../../client/sdk/index.ts';
import { startApp, testSecretKey } from '../support/app.ts';
import { findFreePort, runNode, startNode } from '../support/process.ts';

const worker = fileURLToPath(new URL('../support/static-build-worker.ts', import.meta.url));
const Rendered = z.object({ rendered: z.array(z.string()), repeated: z.int() });

test('a static build with four processes over sixty posts is fast, although the limit refuses some calls of each', async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const titles = Array.from({ length: 60 }, (_, n) => `Post ${n + 1}`);
  await Promise.all(titles.map((title) => app.post('/api/v1/posts', { key, body: { title } })));
  const port = await findFreePort();
  await using server = startNode(['server/main.ts'], {
    DATABASE_URL: app.databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: String(port),
    // A burst smaller than the concurrent requests of one process, so that each is refused at times. It refills faster
    // than the default limit, with which a build of sixty posts takes a minute.
    RATE_LIMIT_NORMAL: '1200/5',
  });
  await server.says(/"msg":"ready"/);
  const baseUrl = `http://127.0.0.1:${port}`;

  const posts = await Array.fromAsync(pages(createClient({ baseUrl, apiKey: key }).v1.posts.list));
  const shares = [0, 1, 2, 3].map((share) => posts.filter((_, n) => n % 4 === share).map(({ slug }) => slug));
  const ended = await Promise.all(shares.map((slugs) => runNode([worker, baseUrl, key, ...slugs])));

  expect(ended.map(({ exitCode, output }) => exitCode === 0 || output)).toEqual([true, true, true, true]);
  const results = ended.map(({ output }) => Rendered.parse(JSON.parse(output)));
  expect(results.flatMap(({ rendered }) => rendered).toSorted()).toEqual(titles.toSorted());
  for (const { repeated } of results) expect(repeated).toBeGreaterThan(0);
});
