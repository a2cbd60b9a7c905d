/** The worker: delivers webhooks and tidies up, over the PostgreSQL of DATABASE_URL. */
import { pino } from 'pino';
import { workerSettings } from './env.ts';
import { work } from './work.ts';

const settings = workerSettings();
const logger = pino({ level: settings.LOG_LEVEL });

const stopped = Promise.withResolvers<void>();
process.on('SIGTERM', stopped.resolve);
const resources = new AsyncDisposableStack();
await work(settings, logger, resources);
await stopped.promise;
setTimeout(() => process.exit(0), 11_500).unref();
await resources.disposeAsync();
process.exit(0);
