import type { Transferable } from 'node:worker_threads';
import { ApiError } from '../kernel/api-error.ts';
import type { Lane } from '../kernel/offload.ts';
import type { Request } from './messages.ts';
import { openThread, type ThreadHandle } from './thread-handle.ts';

/** What a pool of threads may take. */
interface Most {
  threads: number;
  /** Of each thread's heap. */
  memoryMb: number;
  /** Jobs of one site that wait, whatever others do. */
  waitingPerSite: number;
}

/** Threads that had nothing to do for so long are ended. */
const idleMs = 60_000;

interface Task {
  siteId: string;
  request: Request;
  options: { cpuMs: number; transfer: readonly Transferable[] };
  resolve(output: unknown): void;
  reject(error: unknown): void;
}

export type Pool = ReturnType<typeof createPool>;

/**
 * Threads that are begun when they are needed. A site has one of them at a time, and sites take turns, so that none waits
 * for what another has waiting.
 */
export function createPool(lane: Lane, most: Most) {
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

  const work = async ({ siteId, request, options, resolve, reject }: Task) => {
    const thread = idle.pop() ?? openThread(lane, most.memoryMb);
    working.set(siteId, thread);
    await thread.ask(request, options).then(resolve, reject);
    working.delete(siteId);
    if (thread.isAlive) idle.push(thread);
    clearTimeout(endIdle);
    endIdle = setTimeout(endAll, idleMs, idle).unref();
    beginNext();
  };

  return {
    run: (siteId: string, request: Request, options: Task['options']) =>
      new Promise<unknown>((resolve, reject) => {
        const tasks = waiting.get(siteId) ?? [];
        if (isClosed || tasks.length >= most.waitingPerSite)
          throw new ApiError('busy', undefined, { retryAfter: 1 });
        tasks.push({ siteId, request, options, resolve, reject });
        waiting.set(siteId, tasks);
        beginNext();
      }),
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

function endAll(idle: ThreadHandle[]) {
  for (const thread of idle.splice(0)) void thread.end();
}
