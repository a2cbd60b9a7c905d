import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { importExport } from '../../shared/contract/features/import-export.ts';
import { renderJob } from '../content/markdown/jobs.ts';
import { findRecordsJob } from '../transfer/jobs.ts';
import { openThread } from './thread-handle.ts';
import { createThreadPool } from './thread-pool.ts';

test.each([
  ['in the middle of a step', true],
  ['between two steps', false],
])('a thread ends a stream whose reader left %s', async (_, isRequested) => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'offload-'));
  await using threadPool = createThreadPool();
  const file = join(folder.path, 'export.json');
  const posts = Array.from({ length: 6 }, (_, id) => ({
    id,
    title: 'a '.repeat(3_000_000),
    html: '<p>a</p>',
  }));
  await writeFile(file, JSON.stringify({ db: [{ data: { posts } }] }));
  const input = {
    file,
    kind: 'ghost',
    mode: 'as-marked',
    now: new Date(),
    isFetching: false,
    max: importExport.max,
  } as const;
  const leaving = new AbortController();

  const found = threadPool.stream('a site', findRecordsJob, input, leaving.signal);
  await found.next();
  const requested = isRequested && found.next();
  leaving.abort(new Error('the reader has gone'));

  await expect(requested || found.next()).rejects.toThrow('the reader has gone');
});

/** Records the threads that start until the test ends. */
function recordThreads() {
  const begun: Worker[] = [];
  const onWorker = (worker: Worker) => void begun.push(worker);
  process.on('worker', onWorker);
  onTestFinished(() => void process.off('worker', onWorker));
  return begun;
}

test('a thread for texts is loaded before the first text and stays loaded; others start with their first job', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const begun = recordThreads();
  await using threadPool = createThreadPool();
  const render = (siteId: string) => threadPool.run(siteId, renderJob, 'A *text*');
  await threadPool.warmUp();
  expect(begun).toHaveLength(1);
  await render('a site');
  expect(begun).toHaveLength(1);
  await Promise.all([render('a site'), render('another site')]);
  expect(begun).toHaveLength(2);
  const ended = Promise.race(begun.map((worker) => once(worker, 'exit')));
  vi.advanceTimersByTime(60_000);
  await ended;
  await render('a site');
  await threadPool.warmUp();
  expect(begun).toHaveLength(2);
});

test('the loading time of a thread, up to five minutes, does not count for its first job', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const thread = openThread('texts', 96);
  const done = thread.call({ kind: 'do', name: 'nothing', input: null }, { cpuMs: 250, transfer: [] });
  vi.advanceTimersByTime(299_999);
  await expect(done).resolves.toBeUndefined();
  await thread.end();
});
