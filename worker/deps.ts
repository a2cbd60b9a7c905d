import type { Logger } from 'pino';
import type { RandomBytes } from '../shared/contract/random-text.ts';
import type { Database } from '../shared/db/config.ts';
import type { SecretBox } from '../shared/webhooks/secret-box.ts';
import type { WebhookSender } from '../shared/webhooks/send.ts';
import type { Outcome } from './delivery/outcome.ts';

/** All that the worker reaches the world through. */
export interface WorkerDeps {
  database: Database;
  /** Where the job queue is: the same database. */
  databaseUrl: string;
  randomBytes: RandomBytes;
  logger: Logger;
  secrets: SecretBox;
  sender: WebhookSender;
  /** Delays before the second and each further attempt, in seconds. */
  retrySeconds: readonly number[];
  /** Longest that `sender` takes for an attempt. */
  timeoutMs: number;
  /** Told of each attempt that ended. */
  onOutcome?: (outcome: Outcome) => void;
}
