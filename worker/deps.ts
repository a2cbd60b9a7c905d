import type { Database } from '../shared/db/config.ts';
import type { MediaStore } from '../shared/media/store.ts';
import type { DeliveryDeps } from './deliveries/dispatcher.ts';
import type { FanOutDeps } from './deliveries/fan-out.ts';
import type { LetterDeps } from './jobs/transactional-emails.ts';
import type { MailingDeps } from './newsletters/connections.ts';
import type { PreparingDeps } from './newsletters/prepare.ts';

/** What the worker reaches the outside world through. */
export interface WorkerDeps extends DeliveryDeps, FanOutDeps, LetterDeps, PreparingDeps, MailingDeps {
  database: Database;
  /** Where the job queue is: the same database. */
  databaseUrl: string;
  media: MediaStore;
  /** By which scheduled jobs tell what is past its time. Rejects when that can't be told. */
  retentionMoment(): Promise<Date>;
}
