import type { Database } from '../shared/db/config.ts';
import type { DeliveryDeps } from './delivery/dispatcher.ts';
import type { FanOutDeps } from './delivery/fan-out.ts';

/** What the worker reaches the outside world through. */
export interface WorkerDeps extends DeliveryDeps, FanOutDeps {
  database: Database;
  /** Where the job queue is: the same database. */
  databaseUrl: string;
}
