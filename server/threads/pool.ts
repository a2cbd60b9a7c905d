import type { Transferable } from 'node:worker_threads';
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import type { OffloadQueue } from '../api/offload.ts';
import type { Request } from './messages.ts';
import { openThread, type ThreadHandle } from './thread-handle.ts';

interface Most {
  threads: number;
  memoryMb: number;
  /** Jobs of one site that wait, whatever others do. */
  waitingPerSite: number;
  /** After so long without anything to do a thread is ended, which then has held its memory for nothing. */
  idleMs: number;
  kept: number;
}

interface Options {
  cpuMs: number;
  transfer: readonly Transferable[];
}

interface StreamOptions extends Options {
  /** Ends the thread where it is: what nobody waits for any more takes neither time nor memory. */
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
 * Threads that are begun when they are needed. A site has one of them at a time, and sites take turns, so that none waits
 * for what another has waiting.
 */
export function createPool(queue: OffloadQueue, most: Most) {
  const waiting = new Map<string, Task[]>();
  const working = new Map<string, ThreadHandle>();
  const idle: ThreadHandle[] = [];
  let isClosed = false;
  let endIdle: NodeJS.Timeout | undefined;

  /** The next of the site that has waited longest for its turn. */
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
    while (working.size < most.threads) {
      const task = takeNext();
      if (!task) return;
      void work(task);
    }
  };

  /** The idle thread that was used last. One may have died since, for example because it could not load its code. */
  const takeIdle = (): ThreadHandle | undefined => {
    const thread = idle.pop();
    return thread?.isAlive() === false ? takeIdle() : thread;
  };

  const work = async ({ siteId, use, resolve, reject }: Task) => {
    let thread = takeIdle() ?? openThread(queue, most.memoryMb);
    working.set(siteId, thread);
    await use(thread).then(resolve, reject);
    if (!thread.isAlive() && !isClosed) {
      // Whose job has ended its thread waits until another has loaded: the ones that have are left to others.
      thread = openThread(queue, most.memoryMb);
      working.set(siteId, thread);
      await thread.ready;
    }
    working.delete(siteId);
    if (thread.isAlive()) idle.push(thread);
    clearTimeout(endIdle);
    endIdle = setTimeout(() => endAll(idle.splice(most.kept)), most.idleMs).unref();
    beginNext();
  };

  const inTurn = (siteId: string, use: Use) =>
    new Promise<unknown>((resolve, reject) => {
      const tasks = waiting.get(siteId) ?? [];
      if (isClosed || tasks.length >= most.waitingPerSite)
        throw new ApiError('busy', undefined, { retryAfter: 1 });
      tasks.push({ siteId, use, resolve, reject });
      waiting.set(siteId, tasks);
      beginNext();
    });

  return {
    run: (siteId: string, request: Request, options: Options) =>
      inTurn(siteId, (thread) => thread.ask(request, options)),
    stream: (siteId: string, request: Request, options: StreamOptions) =>
      streamFrom((use) => inTurn(siteId, use), request, options),
    /** Begins the threads that are kept. Resolves when they have loaded their code. */
    async warmUp() {
      while (!isClosed && idle.length + working.size < most.kept) idle.push(openThread(queue, most.memoryMb));
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

/** One of several things that a job gives. */
const Step = z.object({ done: z.boolean().optional(), value: z.unknown() });

/** One thing after the other, from a thread that does nothing else meanwhile: each may take the time of a job. */
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
    await thread.ask(request, options);
    while (!isThrough) {
      const { done = false, value } = Step.parse(await thread.ask({ kind: 'next' }, options));
      isThrough = done;
      if (!done) yield value;
    }
  } catch (error) {
    // That the thread has ended is only how.
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', stop);
    // Before what it reads is closed.
    if (!isThrough) await thread.end();
    closed.resolve();
  }
}
