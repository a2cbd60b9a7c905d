import type { Transferable } from 'node:worker_threads';

/** Queues of the thread pool: texts that readers wait for, slower files and images, and imports of any length. */
export type ThreadQueue = 'texts' | 'files' | 'pictures' | 'imports';

/** Work that runs in a thread, because user input can make it take long. */
export interface Job<Input, Output> {
  name: string;
  queue: ThreadQueue;
  /** CPU time limit in milliseconds; time in the queue does not count. */
  cpuMs: number;
  /** Types of input and output; never set at run time. */
  types?: (input: Input) => Output;
}

/** Thread pool that runs jobs of sites in a fair order. */
export interface ThreadPool extends AsyncDisposable {
  /** Starts the thread for texts, so that no reader waits for its code to load. Resolves when it is loaded. */
  warmUp(): Promise<void>;
  /**
   * Runs a job. Throws `OverLimitError` if the job exceeds its time or memory, an `ApiError` if too many jobs of the
   * site are waiting, and any error of the job.
   */
  run<Input, Output>(
    siteId: string,
    job: Job<Input, Output>,
    input: Input,
    transfer?: readonly Transferable[],
  ): Promise<Output>;
  /**
   * Runs a job that yields items, each within the job's CPU time. The job occupies its thread until its end or until
   * `signal` aborts, whose reason is thrown then.
   */
  stream<Input, Item>(
    siteId: string,
    job: Job<Input, AsyncIterable<Item>>,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Item, void, void>;
}

/** Error of a job that exceeded the limit in the message, of time or memory; its thread was ended. */
export class OverLimitError extends Error {}
