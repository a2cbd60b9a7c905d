import type { Transferable } from 'node:worker_threads';
import type { Job, Lane, Offload } from '../kernel/offload.ts';
import { createPool, type Pool } from './pool.ts';

/** Threads for what others send, so that nothing of it holds up the process, however dear it is. */
export function createOffload(): Offload {
  const lanes: Record<Lane, Pool> = {
    texts: createPool('texts', { threads: 2, memoryMb: 96, waitingPerSite: 100 }),
    files: createPool('files', { threads: 1, memoryMb: 64, waitingPerSite: 20 }),
  };
  return {
    async run<Input, Output>(
      siteId: string,
      { name, lane, cpuMs }: Job<Input, Output>,
      input: Input,
      transfer: readonly Transferable[] = [],
    ) {
      const output = await lanes[lane].run(siteId, { name, input }, { cpuMs, transfer });
      // What does the job in `works.ts` has been compared with its types there.
      return output as Output;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(lanes).map((pool) => pool.close()));
    },
  };
}
