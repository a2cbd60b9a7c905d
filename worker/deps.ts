import type { Clock } from '../shared/contract/moments.ts';
import type { Database } from '../shared/db/config.ts';
import type { MediaStore } from '../shared/media/store.ts';
import type { DeliveryDeps } from './delivery/dispatcher.ts';
import type { FanOutDeps } from './delivery/fan-out.ts';
import type { TellOwnerDeps } from './tell-owner.ts';

/** What the worker reaches the outside world through. */
export interface WorkerDeps extends DeliveryDeps, FanOutDeps, TellOwnerDeps {
  database: Database;
  /** Where the job queue is: the same database. */
  databaseUrl: string;
  media: MediaStore;
  /** By which scheduled jobs tell what is past its time. */
  clock: Clock;
}
