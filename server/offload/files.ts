import { inspect } from '../features/media/inspect.ts';
import { inspectJob } from '../features/media/jobs.ts';
import { handles } from './handlers.ts';

export const handlers = [handles(inspectJob, inspect)];
