import { setFlagsFromString } from 'node:v8';
import { type Transferable, Worker } from 'node:worker_threads';
import { omitUndefined } from '../../shared/contract/names-of.ts';
import { ApiError } from '../api/api-error.ts';
import { OverLimitError, type ThreadQueue } from '../api/thread-pool.ts';
import type { Reply, Request } from './messages.ts';

declare module 'node:worker_threads' {
  interface Worker {
    /** Returns the thread's CPU time, also while it works (Node 24.6). */
    cpuUsage(): Promise<NodeJS.CpuUsage>;
  }
}

// Heap limits of the process, such as --max-old-space-size, override `resourceLimits` of threads unless they are 0 when the
// thread starts. The main heap already has its limit then, and keeps it.
setFlagsFromString('--max-old-space-size=0');
setFlagsFromString('--max-semi-space-size=0');

/** Number of CPU time checks within the time limit. */
const looks = 10;

/** Timeout of a job as a multiple of its CPU time limit, for jobs that hang without computing. */
const maxWaiting = 60;

/** Timeout for loading a thread, in milliseconds. Threads have low priority and load slowly on a busy machine. */
const maxLoadMs = 300_000;

export interface ThreadHandle {
  isAlive(): boolean;
  /** Resolves when the thread has loaded its code, which takes longer than most jobs, or has ended. */
  ready: Promise<void>;
  /** Sends a request. Throws `OverLimitError` if it exceeds its time or memory; the thread has ended then. */
  call(request: Request, options: { cpuMs: number; transfer: readonly Transferable[] }): Promise<unknown>;
  end(): Promise<unknown>;
}

interface PendingJob {
  resolve(output: unknown): void;
  reject(error: unknown): void;
  /** CPU time of the thread when the job began, in microseconds. */
  begunAt?: number;
}

/**
 * Starts a thread for the jobs of a queue, with about `memoryMb` megabytes of memory at most. It keeps the process alive
 * only during a request.
 */
export function openThread(queue: ThreadQueue, memoryMb: number): ThreadHandle {
  const worker = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: queue,
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 4 },
    // The thread needs no secrets.
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
  }, maxLoadMs).unref();
  void ready.promise.then(() => clearTimeout(loading));
  const giveUp = (what: string) => {
    // Rejects before the thread ends, because its end would reject with another error.
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
    async call(request, { cpuMs, transfer }) {
      worker.ref();
      // Loading, which is slow on a busy machine, does not count as time of the job.
      await ready.promise;
      const watching = setInterval(look, cpuMs / looks, cpuMs);
      const deadline = setTimeout(giveUp, cpuMs * maxWaiting, 'time');
      try {
        // An ended thread would never answer.
        if (ended) throw ended;
        return await new Promise((resolve, reject) => {
          pending = { resolve, reject };
          worker.postMessage(request, transfer);
        });
      } finally {
        pending = undefined;
        worker.unref();
        clearInterval(watching);
        clearTimeout(deadline);
      }
    },
    end,
  };
}
