import { z } from 'zod';
import { processVariables, storageVariables, webhookVariables } from '../shared/settings/variables.ts';

/** Of `worker/main.ts`: webhooks are delivered and checked by the same settings in worker and server. */
export const WorkerSettings = z.object({ ...storageVariables, ...webhookVariables, ...processVariables });

export type WorkerSettings = z.infer<typeof WorkerSettings>;
