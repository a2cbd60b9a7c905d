/** What a thread runs: it does one job after the other, and says when each begins and how it ended. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../kernel/api-error.ts';
import type { OffloadQueue } from '../kernel/offload.ts';
import type { JobHandler } from './handlers.ts';
import type { Reply, Request } from './messages.ts';

// Where cores are few, answers to others go first. Linux alone gives a thread a priority of its own, by the thread's id; a
// sandbox may forbid it, and then it works as before, only less politely.
try {
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), 10);
} catch {}

// Each queue has its own, so that no thread holds what it doesn't use; loaded before the first job, whose time it would take.
const queues: Record<OffloadQueue, () => Promise<{ handlers: JobHandler[] }>> = {
  texts: () => import('./texts.ts'),
  files: () => import('./files.ts'),
  pictures: () => import('./pictures.ts'),
  imports: () => import('./imports.ts'),
};
const { handlers } = await queues[workerData as OffloadQueue]();
const known = new Map(handlers);

/** What gives one thing after the other, of the job that was asked for last. */
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
