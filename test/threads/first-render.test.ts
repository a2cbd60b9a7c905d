import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '../../server/start/serve.ts';
import { createThreadPool } from '../../server/threads/thread-pool.ts';
import { post } from '../../shared/contract/resources/post.ts';
import { startApp } from '../support/app.ts';
import { addRecords } from '../support/attacks/attacker.ts';
import { findFreePort } from '../support/process.ts';

test('a server loads one Markdown thread when it starts to listen, and the first page with a text starts no other', async () => {
  await using app = await startApp({ threadPool: createThreadPool() });
  const siteId = await app.seed.ownSite();
  const isPublic = { is_draft: false, published_at: '2025-01-01T00:00:00Z', access_tier: 'free' };
  await addRecords({ deps: app.deps, siteId }, post, {
    count: 1,
    title: 'First',
    content: 'A *text*',
    ...isPublic,
  });
  const [{ slug } = {}] = await app.deps.database.em
    .fork()
    .execute<{ slug?: string }[]>('select slug from posts');
  const port = await findFreePort();
  const begun: Worker[] = [];
  const onWorker = (worker: Worker) => void begun.push(worker);
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  const first = once(process, 'worker');
  const close = await serve(app.deps, { HOST: '127.0.0.1', PORT: port });
  await first;
  const page = await fetch(`http://127.0.0.1:${port}/posts/${slug}`);
  expect(await page.text()).toContain('A <em>text</em>');
  expect(begun).toHaveLength(1);
  await close();
});
