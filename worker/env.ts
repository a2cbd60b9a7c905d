import { WorkerSettings } from './settings.ts';

/** Settings of this process from its environment. */
export const workerSettings = () => WorkerSettings.parse(process.env);
