import type { Job } from '../../kernel/offload.ts';
import type { FileToInspect, Inspected } from './formats/format.ts';

/** Looks at a file from end to end. */
export const inspectJob: Job<FileToInspect, Inspected> = { name: 'inspect', queue: 'files', cpuMs: 2_000 };
