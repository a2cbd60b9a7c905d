import type { Transferable } from 'node:worker_threads';
import { importExport } from '../../shared/contract/features/import-export.ts';
import type { Job, ThreadPool, ThreadQueue } from '../api/thread-pool.ts';
import { createPool, type Pool } from './pool.ts';

/**
 * Creates the thread pool with one pool per queue, so that expensive user input does not block this process. With
 * `idleMs`, threads of all queues stay loaded for this time after a job, in milliseconds. The default of `importsMb`, the
 * memory of a thread for imports, is twice what an import of 100,000 texts with names of maximum length needs.
 */
export function createThreadPool({
  idleMs,
  importsMb = 192,
}: {
  idleMs?: number;
  importsMb?: number;
} = {}): ThreadPool {
  const queues: Record<ThreadQueue, Pool> = {
    texts: createPool('texts', {
      ...{ threads: 2, memoryMb: 96, waitingPerSite: 100, idleMs: idleMs ?? 60_000 },
      // One thread for texts stays loaded, because readers of all sites wait for texts. Other jobs delay only their
      // own callers, and a loaded thread takes memory.
      kept: 1,
    }),
    files: createPool('files', {
      threads: 1,
      memoryMb: 64,
      waitingPerSite: 20,
      idleMs: idleMs ?? 5_000,
      kept: 0,
    }),
    pictures: createPool('pictures', {
      threads: 1,
      memoryMb: 96,
      waitingPerSite: 20,
      idleMs: idleMs ?? 5_000,
      kept: 0,
    }),
    imports: createPool('imports', {
      threads: importExport.atOnce.inAll,
      memoryMb: importsMb,
      waitingPerSite: 20,
      idleMs: idleMs ?? 1_000,
      kept: 0,
    }),
  };
  return {
    async warmUp() {
      await Promise.all(Object.values(queues).map((pool) => pool.warmUp()));
    },
    async run<Input, Output>(
      siteId: string,
      { name, queue, cpuMs }: Job<Input, Output>,
      input: Input,
      transfer: readonly Transferable[] = [],
    ) {
      const output = await queues[queue].run(siteId, { kind: 'do', name, input }, { cpuMs, transfer });
      // `handles` requires that the handler of a job returns the job's output type.
      return output as Output;
    },
    async *stream<Input, Item>(
      siteId: string,
      { name, queue, cpuMs }: Job<Input, AsyncIterable<Item>>,
      input: Input,
      signal: AbortSignal,
    ) {
      const request = { kind: 'do', name, input } as const;
      const items = queues[queue].stream(siteId, request, { cpuMs, transfer: [], signal });
      // `handles` requires that the handler of a job yields the job's item type.
      for await (const item of items) yield item as Item;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(queues).map((pool) => pool.close()));
    },
  };
}
