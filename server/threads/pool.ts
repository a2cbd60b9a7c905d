import type { Transferable } from 'node:worker_threads';
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import type { ThreadQueue } from '../api/thread-pool.ts';
import type { Request } from './messages.ts';
import { openThread, type ThreadHandle } from './thread-handle.ts';

interface PoolLimits {
  threads: number;
  memoryMb: number;
  /** Maximum number of waiting jobs of one site, independent of other sites. */
  waitingPerSite: number;
  /** Time after which unused threads are ended to free their memory, in milliseconds. */
  idleMs: number;
  kept: number;
}

interface Options {
  cpuMs: number;
  transfer: readonly Transferable[];
}

interface StreamOptions extends Options {
  /** Ends the thread at any point of its work, because no caller waits for the result. */
  signal: AbortSignal;
}

type Use = (thread: ThreadHandle) => Promise<unknown>;

interface Task {
  siteId: string;
  use: Use;
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export type Pool = ReturnType<typeof createPool>;

/**
 * Thread pool of one queue; `thread-pool.ts` creates one for each. Limits are enforced by `thread-handle.ts`. A thread
 * moves through these states:
 *
 *   (none) ──warmUp──▶ loading ──ready──▶ idle ──job──▶ working ──done──▶ idle
 *   (none) ──job without an idle thread──▶ loading ──ready──▶ working
 *   idle ──unused for `idleMs`, unless one of the `kept`──▶ ended
 *   working ──limit of CPU time or memory exceeded, stream aborted──▶ ended, and a new thread loads
 *
 * A job waits in the queue of its site, or is refused with `busy` if `waitingPerSite` jobs already wait. Sites take
 * turns, and a site has at most one working thread, so no site waits for the queue of another. A site whose job ended
 * its thread also waits until the new thread is loaded.
 */
export function createPool(queue: ThreadQueue, max: PoolLimits) {
  const waiting = new Map<string, Task[]>();
  const working = new Map<string, ThreadHandle>();
  const idle: ThreadHandle[] = [];
  let isClosed = false;
  let endIdle: NodeJS.Timeout | undefined;

  /** Takes the next job of the site that has waited longest for its turn. */
  const takeNext = (): Task | undefined => {
    for (const [siteId, tasks] of waiting) {
      if (working.has(siteId)) continue;
      const [task, ...others] = tasks;
      waiting.delete(siteId);
      if (others.length > 0) waiting.set(siteId, others);
      return task;
    }
    return undefined;
  };

  const beginNext = () => {
    while (working.size < max.threads) {
      const task = takeNext();
      if (!task) return;
      void work(task);
    }
  };

  /** Returns the idle thread that was used last. One may have died since, for example because it could not load its code. */
  const takeIdle = (): ThreadHandle | undefined => {
    const thread = idle.pop();
    return thread?.isAlive() === false ? takeIdle() : thread;
  };

  const work = async ({ siteId, use, resolve, reject }: Task) => {
    let thread = takeIdle() ?? openThread(queue, max.memoryMb);
    working.set(siteId, thread);
    await use(thread).then(resolve, reject);
    if (!thread.isAlive() && !isClosed) {
      // The job's site occupies the new thread until it has loaded, so that loaded threads stay available to other
      // sites.
      thread = openThread(queue, max.memoryMb);
      working.set(siteId, thread);
      await thread.ready;
    }
    working.delete(siteId);
    if (thread.isAlive()) idle.push(thread);
    clearTimeout(endIdle);
    endIdle = setTimeout(() => endAll(idle.splice(max.kept)), max.idleMs).unref();
    beginNext();
  };

  const inTurn = (siteId: string, use: Use) =>
    new Promise<unknown>((resolve, reject) => {
      const tasks = waiting.get(siteId) ?? [];
      if (isClosed || tasks.length >= max.waitingPerSite)
        throw new ApiError('busy', undefined, { retryAfter: 1 });
      tasks.push({ siteId, use, resolve, reject });
      waiting.set(siteId, tasks);
      beginNext();
    });

  return {
    run: (siteId: string, request: Request, options: Options) =>
      inTurn(siteId, (thread) => thread.call(request, options)),
    stream: (siteId: string, request: Request, options: StreamOptions) =>
      streamFrom((use) => inTurn(siteId, use), request, options),
    /** Starts the threads that are kept. Resolves when they have loaded their code. */
    async warmUp() {
      while (!isClosed && idle.length + working.size < max.kept) idle.push(openThread(queue, max.memoryMb));
      await Promise.all(idle.map(({ ready }) => ready));
    },
    async close() {
      isClosed = true;
      clearTimeout(endIdle);
      const left = [...waiting.values()].flat();
      waiting.clear();
      for (const { reject } of left) reject(new ApiError('busy', undefined, { retryAfter: 1 }));
      await Promise.all([...working.values(), ...idle].map((thread) => thread.end()));
    },
  };
}

function endAll(threads: ThreadHandle[]) {
  for (const thread of threads) void thread.end();
}

const Step = z.object({ done: z.boolean().optional(), value: z.unknown() });

/** Yields a job's items from a thread that is reserved for it. Each item may take the job's CPU time. */
async function* streamFrom(
  inTurn: (use: Use) => Promise<unknown>,
  request: Request,
  { signal, ...options }: StreamOptions,
) {
  const opened = Promise.withResolvers<ThreadHandle>();
  const closed = Promise.withResolvers<void>();
  inTurn((thread) => {
    opened.resolve(thread);
    return closed.promise;
  }).catch(opened.reject);
  const thread = await opened.promise;
  let isThrough = false;
  const stop = () => void thread.end();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    await thread.call(request, options);
    while (!isThrough) {
      const { done = false, value } = Step.parse(await thread.call({ kind: 'next' }, options));
      isThrough = done;
      if (!done) yield value;
    }
  } catch (error) {
    // An abort also ends the thread. Its reason is thrown instead of the error of the ended thread.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
    // The thread must end before the caller closes the files that it reads.
    if (!isThrough) await thread.end();
    closed.resolve();
  }
}
