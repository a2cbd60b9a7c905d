import type { Job } from '../kernel/offload.ts';

/** What does a job, by its name. */
export type JobHandler = readonly [name: string, work: (input: unknown) => unknown];

export const handles = <Input, Output>(
  { name }: Job<Input, Output>,
  work: (input: Input) => Output | Promise<Output>,
): JobHandler => [
  name,
  // Whoever asks for the job gives what its types say.
  work as JobHandler[1],
];
