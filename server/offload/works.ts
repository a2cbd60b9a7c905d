import type { Job } from '../kernel/offload.ts';

/** What does a job, by its name. */
export type Work = readonly [name: string, work: (input: unknown) => unknown];

export const does = <Input, Output>(
  { name }: Job<Input, Output>,
  work: (input: Input) => Output | Promise<Output>,
): Work => [
  name,
  // Whoever asks for the job gives what its types say.
  work as Work[1],
];
