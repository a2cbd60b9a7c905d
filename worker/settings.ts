import { z } from 'zod';
import { processVariables, storageVariables, webhookVariables } from '../shared/env/variables.ts';

/** Of `worker/main.ts`. */
export const WorkerSettings = z.object({ ...storageVariables, ...webhookVariables, ...processVariables });

export type WorkerSettings = z.infer<typeof WorkerSettings>;
