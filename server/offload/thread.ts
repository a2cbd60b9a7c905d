/** What a thread runs: it does one job after the other, and says when each begins and how it ended. */
import { parentPort, workerData } from 'node:worker_threads';
import { ApiError } from '../kernel/api-error.ts';
import type { Reply, Request } from './messages.ts';

// Each lane has its own, so that no thread holds what it doesn't use; loaded before the first job, whose time it would take.
const { works } = await (workerData === 'texts' ? import('./texts.ts') : import('./files.ts'));
const known = new Map(works);

const say = (reply: Reply) => parentPort?.postMessage(reply);

parentPort?.on('message', async ({ name, input }: Request) => {
  const { user, system } = process.threadCpuUsage();
  say({ kind: 'begun', cpu: user + system });
  try {
    say({ kind: 'done', output: await known.get(name)?.(input) });
  } catch (error) {
    if (error instanceof ApiError) say({ kind: 'refused', code: error.errorCode, message: error.message });
    else say({ kind: 'failed', error });
  }
});
