import { expect, test } from 'vitest';
import { startApp, testSecretKey } from '../support/app.ts';
import { findFreePort, startNode } from '../support/process.ts';
import { createVisitor } from '../support/visitor.ts';

const writes = 1_000;

const paths = ['/posts/post', '/posts', '/', '/feed.xml'];

test('a write through one process is on the next page of another: 0 of 1,000 are stale', {
  timeout: 240_000,
}, async () => {
  await using app = await startApp();
  const key = await app.seed.key();
  const { body } = await app.post('/api/v1/posts', { key, body: { title: 'Write 0.', slug: 'post' } });
  const { id } = body as { id: string };
  const port = String(await findFreePort());
  await using other = startNode(['server/main.ts'], {
    NODE_ENV: 'production',
    DATABASE_URL: app.databaseUrl,
    SECRET_KEY: testSecretKey,
    PORT: port,
    LOG_LEVEL: 'info',
    RATE_LIMIT_SITE: 'off',
  });
  await other.says(/"msg":"ready"/);
  const visit = createVisitor(`http://127.0.0.1:${port}`);
  const stale: unknown[] = [];
  const etags = new Map<string, string>();
  for (let number = 1; number <= writes; number += 1) {
    const path = paths[number % paths.length] ?? '';
    const title = `Write ${number}.`;
    expect((await app.patch(`/api/v1/posts/${id}`, { key, body: { title } })).status).toBe(200);
    const headers = { 'if-none-match': etags.get(path) ?? '' };
    const { status, text, headers: got } = await visit(path, { headers });
    etags.set(path, String(got.etag));
    if (status !== 200 || !text.includes(title)) stale.push([number, path, status]);
  }
  expect(stale).toEqual([]);
});
