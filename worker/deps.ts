import type { Database } from '../shared/db/config.ts';
import type { MediaStore } from '../shared/media/store.ts';
import type { DeliveryDeps } from './delivery/dispatcher.ts';
import type { FanOutDeps } from './delivery/fan-out.ts';
import type { MailingDeps } from './mailings/connections.ts';
import type { PreparingDeps } from './mailings/prepare.ts';
import type { LetterDeps } from './transactional-emails.ts';

/** What the worker reaches the outside world through. */
export interface WorkerDeps extends DeliveryDeps, FanOutDeps, LetterDeps, PreparingDeps, MailingDeps {
  database: Database;
  /** Where the job queue is: the same database. */
  databaseUrl: string;
  media: MediaStore;
  /** By which scheduled jobs tell what is past its time. Rejects when that can't be told. */
  retentionMoment(): Promise<Date>;
}
