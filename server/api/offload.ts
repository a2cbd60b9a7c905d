import type { Transferable } from 'node:worker_threads';

/** Which threads do something: readers wait for texts, files and pictures take longer, and imports as long as they are. */
export type OffloadQueue = 'texts' | 'files' | 'pictures' | 'imports';

/** Something that is done by a thread of its own, since what others send may make it take long. */
export interface Job<Input, Output> {
  /** What the thread knows it by. */
  name: string;
  queue: OffloadQueue;
  /** CPU time that it may take, in milliseconds; waiting for its turn is none. */
  cpuMs: number;
  /** Nothing that runs: what it is done with, and what it gives. */
  types?: (input: Input) => Output;
}

/** Does jobs of sites, each in its turn. */
export interface Offload extends AsyncDisposable {
  /** Begins the thread that stays loaded for texts, so that no reader waits for its code. Resolves when it has loaded it. */
  warmUp(): Promise<void>;
  /**
   * Throws `OverLimitError` for what takes more than its time or memory, `busy` of ApiError when too much of the site is
   * waiting already, and what the job itself throws.
   */
  run<Input, Output>(
    siteId: string,
    job: Job<Input, Output>,
    input: Input,
    transfer?: readonly Transferable[],
  ): Promise<Output>;
  /**
   * What a job gives one after the other, each in the time of a job. It has its thread for itself until all is through, or
   * the signal ends it, whose reason is thrown then.
   */
  stream<Input, Item>(
    siteId: string,
    job: Job<Input, AsyncIterable<Item>>,
    input: Input,
    signal: AbortSignal,
  ): AsyncGenerator<Item, void, void>;
}

/** What was asked for takes more of what the message names, time or memory, than it may; its thread is gone. */
export class OverLimitError extends Error {}
