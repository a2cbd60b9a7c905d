import type { Database } from '../shared/db/config.ts';
import type { MediaStore } from '../shared/media/store.ts';
import type { SecretBox } from '../shared/runtime/secret-box.ts';
import type { DeliveryDeps } from './deliveries/dispatcher.ts';
import type { FanOutDeps } from './deliveries/fan-out.ts';
import type { EmailDeps } from './jobs/transactional-emails.ts';
import type { MailingDeps } from './newsletters/connections.ts';
import type { PreparingDeps } from './newsletters/prepare-mailing.ts';
import type { PassDeps } from './payments/pass.ts';

/** Infrastructure of the worker. */
export interface WorkerDeps
  extends DeliveryDeps,
    FanOutDeps,
    EmailDeps,
    PreparingDeps,
    MailingDeps,
    PassDeps {
  database: Database;
  /** URL of the database, which also contains the job queue. */
  databaseUrl: string;
  media: MediaStore;
  secrets: SecretBox;
  /** Returns the cutoff for deleting expired rows. Rejects if it cannot be determined. */
  retentionCutoff(): Promise<Date>;
}
