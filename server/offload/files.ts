import { inspect } from '../features/media/inspect.ts';
import { inspectJob } from '../features/media/jobs.ts';
import { does } from './works.ts';

export const works = [does(inspectJob, inspect)];
