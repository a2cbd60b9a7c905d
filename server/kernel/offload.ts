import type { Transferable } from 'node:worker_threads';

/** Which threads do something: readers wait for texts, files take longer. */
export type Lane = 'texts' | 'files';

/** Something that is done by a thread of its own, since what others send may make it take long. */
export interface Job<Input, Output> {
  /** What the thread knows it by. */
  name: string;
  lane: Lane;
  /** CPU time that it may take, in milliseconds; waiting for its turn is none. */
  cpuMs: number;
  /** Nothing that runs: what it is done with, and what it gives. */
  types?: (input: Input) => Output;
}

/** Does jobs of sites, each in its turn. */
export interface Offload extends AsyncDisposable {
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
}

/** What was asked for takes more time or memory than it may; its thread is gone. */
export class OverLimitError extends Error {}
