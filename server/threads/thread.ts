/** Thread entry: runs one job after the other, and reports the beginning and outcome of each. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../api/api-error.ts';
import type { ThreadQueue } from '../api/thread-pool.ts';
import { handles, type JobHandler, type Reply, type Request } from './messages.ts';

// Low priority, so that answers come first on few cores. Only Linux has priorities of threads, by thread id. A sandbox
// may forbid the change; then the thread runs with normal priority.
try {
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), 5);
} catch {}

// Each queue loads only the code of its own jobs, before the first one: loading would count as CPU time of that job.
const queues: Record<ThreadQueue, () => Promise<JobHandler[]>> = {
  async texts() {
    const jobs = await import('../content/markdown/jobs.ts');
    const markdown = await import('../../shared/markdown/index.ts');
    return [
      handles(jobs.renderJob, markdown.renderBody),
      handles(jobs.absoluteJob, markdown.withAbsoluteMarkdown),
      handles(jobs.excerptJob, markdown.excerpt),
      handles(jobs.firstParagraphsJob, markdown.firstParagraphs),
    ];
  },
  async files() {
    const { inspectJob } = await import('../media/formats/format.ts');
    const { inspect } = await import('../media/inspect.ts');
    return [handles(inspectJob, inspect)];
  },
  async pictures() {
    const { socialImageJob } = await import('../media/social-images/social-images.ts');
    const { drawSocialImage } = await import('../media/social-images/draw-social-image.ts');
    return [handles(socialImageJob, drawSocialImage)];
  },
  imports: async () => (await import('./imports.ts')).handlers,
};
const known = new Map(await queues[workerData as ThreadQueue]());

/** Iterator of the current job; undefined if the job returns a single value. */
let steps: AsyncIterator<unknown> | undefined;

async function answer(request: Request): Promise<unknown> {
  if (request.kind === 'next') return steps?.next();
  const output = await known.get(request.name)?.(request.input);
  steps = isIterable(output) ? output[Symbol.asyncIterator]() : undefined;
  return steps ? undefined : output;
}

const isIterable = (output: unknown): output is AsyncIterable<unknown> =>
  typeof output === 'object' && output !== null && Symbol.asyncIterator in output;

const say = (reply: Reply) => parentPort?.postMessage(reply);

parentPort?.on('message', async (request: Request) => {
  const { user, system } = process.threadCpuUsage();
  say({ kind: 'begun', cpu: user + system });
  try {
    say({ kind: 'done', output: await answer(request) });
  } catch (error) {
    if (error instanceof ApiError) say({ kind: 'refused', code: error.errorCode, message: error.message });
    else say({ kind: 'failed', error });
  }
});

say({ kind: 'ready' });
