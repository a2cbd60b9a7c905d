import type { Job } from '../../kernel/offload.ts';
import type { Inspected, OpenFile } from './formats/format.ts';

/** Looks at a file from end to end. */
export const inspectJob: Job<OpenFile, Inspected> = { name: 'inspect', lane: 'files', cpuMs: 2_000 };
