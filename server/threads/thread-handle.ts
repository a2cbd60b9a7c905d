import { setFlagsFromString } from 'node:v8';
import { type Transferable, Worker } from 'node:worker_threads';
import { omitUndefined } from '../../shared/contract/names-of.ts';
import { ApiError } from '../api/api-error.ts';
import { type OffloadQueue, OverLimitError } from '../api/offload.ts';
import type { Reply, Request } from './messages.ts';

declare module 'node:worker_threads' {
  interface Worker {
    /** CPU time of the thread so far; it answers while it works, too (Node 24.6). */
    cpuUsage(): Promise<NodeJS.CpuUsage>;
  }
}

// Heap limits of the process, such as --max-old-space-size, override `resourceLimits` of threads unless they are 0 when the
// thread starts. The main heap already has its limit then, and keeps it.
setFlagsFromString('--max-old-space-size=0');
setFlagsFromString('--max-semi-space-size=0');

/** How often within its time a thread is looked at. */
const looks = 10;

/** So many times its CPU time is the longest that anything may take: what only waits is stuck. */
const mostWaiting = 60;

/** On a machine whose cores are busy a thread, which comes last, takes seconds to load. */
const longestLoadMs = 300_000;

export interface ThreadHandle {
  isAlive(): boolean;
  /** Resolves once it has loaded what it needs, which takes longer than most jobs, or has ended before. */
  ready: Promise<void>;
  /** Throws `OverLimitError` for what takes more than its time or memory; the thread is gone then. */
  ask(request: Request, options: { cpuMs: number; transfer: readonly Transferable[] }): Promise<unknown>;
  end(): Promise<unknown>;
}

interface PendingJob {
  resolve(output: unknown): void;
  reject(error: unknown): void;
  /** CPU time of the thread when it began, in microseconds. */
  begunAt?: number;
}

/** Begins a thread, which keeps no process alive unless it is asked something. */
export function openThread(queue: OffloadQueue, memoryMb: number): ThreadHandle {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: queue,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 4 },
    // Nothing that it does needs to know a secret.
    env: omitUndefined({ NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
  });
  worker.unref();
  let pending: PendingJob | undefined;
  let ended: Error | undefined;
  const ready = Promise.withResolvers<void>();

  worker.on('message', (reply: Reply) => {
    if (reply.kind === 'ready') return ready.resolve();
    if (!pending) return;
    if (reply.kind === 'begun') pending.begunAt = reply.cpu;
    else if (reply.kind === 'done') pending.resolve(reply.output);
    else pending.reject(reply.kind === 'refused' ? new ApiError(reply.code, reply.message) : reply.error);
  });
  const fail = (error: Error) => {
    ended ??= error;
    ready.resolve();
    pending?.reject(error);
  };
  worker.on('error', (error: NodeJS.ErrnoException) =>
    fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new OverLimitError('memory', { cause: error }) : error),
  );
  worker.on('exit', () => fail(new Error('worker thread ended during a job')));

  const end = () => {
    ended ??= new Error('worker thread has ended');
    return worker.terminate();
  };
  const loading = setTimeout(() => {
    fail(new Error('worker thread timed out while loading'));
    void worker.terminate();
  }, longestLoadMs).unref();
  void ready.promise.then(() => clearTimeout(loading));
  const giveUp = (what: string) => {
    // Before the thread ends, which would be its own failure.
    pending?.reject(new OverLimitError(what));
    void end();
  };
  const look = async (cpuMs: number) => {
    const { begunAt } = pending ?? {};
    if (begunAt === undefined) return;
    const usage = await worker.cpuUsage().catch(() => null);
    const isSame = pending?.begunAt === begunAt;
    if (usage && isSame && usage.user + usage.system - begunAt > cpuMs * 1_000) giveUp('CPU time');
  };

  return {
    isAlive: () => !ended,
    ready: ready.promise,
    async ask(request, { cpuMs, transfer }) {
      worker.ref();
      // What it takes to load, which is long where cores are busy, is no time of the job.
      await ready.promise;
      const watching = setInterval(look, cpuMs / looks, cpuMs);
      const longest = setTimeout(giveUp, cpuMs * mostWaiting, 'time');
      try {
        // One that has ended would never answer.
        if (ended) throw ended;
        return await new Promise((resolve, reject) => {
          pending = { resolve, reject };
          worker.postMessage(request, transfer);
        });
      } finally {
        pending = undefined;
        worker.unref();
        clearInterval(watching);
        clearTimeout(longest);
      }
    },
    end,
  };
}
