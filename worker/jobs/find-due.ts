import { sql } from 'kysely';
import { type WaitingDrafts, waitingDrafts } from '../../shared/content/schedule.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import { earliestBySubscription } from '../../shared/db/delivery-queue.ts';
import type { MailingKey } from '../../shared/db/mailing-counts.ts';
import type { SubscriptionKey } from '../../shared/db/webhook-subscriptions.ts';
import { someRemovalIsDue } from '../../shared/media/removals.ts';
import { askedSubscriptions, leftBehind } from '../deliveries/sweep.ts';
import type { WorkerDeps } from '../deps.ts';
import { someImageIsDue } from '../images/make-renditions.ts';
import { dueMailings } from '../newsletters/settle-recipients.ts';
import { duePayments } from '../payments/lease.ts';

/** Due work of all sites. */
interface DueWork {
  /** True if the worker that made a delivery's last attempt died. */
  lost: boolean;
  /** True if a lease lies too far in the future. */
  invalid_lease: boolean;
  /** True if the deliveries of an event were not written in time, because its job was lost. */
  overdue: boolean;
  /** Subscriptions with a due attempt, or one whose worker died. */
  scheduled: SubscriptionKey[];
  /** Subscriptions with requested attempts. */
  requested: SubscriptionKey[];
  drafts: WaitingDrafts[];
  mailings: (MailingKey & { is_to_prepare: boolean })[];
  /** Sites whose payments are to be synced. */
  payments: string[];
  images: boolean;
  removals: boolean;
}

/**
 * Finds due work of all kinds in one statement, because usually nothing is due. `leaseMs` is the duration of a lease,
 * in milliseconds.
 */
export async function findDue(
  { database: { em }, clock, publicUrl }: Pick<WorkerDeps, 'database' | 'clock' | 'publicUrl'>,
  leaseMs: number,
): Promise<DueWork> {
  const keys = sql`coalesce(json_agg(json_build_object('site_id', site_id, 'subscription_id', subscription_id)), '[]')`;
  const { rows } = await sql<DueWork>`${preparedStatement}
    with recursive ${earliestBySubscription}, ${askedSubscriptions}
    select ${leftBehind(leaseMs)},
      (select ${keys} from earliest where due_at <= now()) as scheduled,
      (select ${keys} from asked) as requested,
      (select coalesce(json_agg(waiting), '[]') from (${waitingDrafts}) waiting) as drafts,
      (select coalesce(json_agg(due), '[]') from (${dueMailings}) due) as mailings,
      array(${duePayments(clock.now(), publicUrl)}) as payments,
      ${someImageIsDue} as images, ${someRemovalIsDue} as removals`.execute(em.getKysely());
  const [due] = rows;
  if (!due) throw new Error('PostgreSQL returned no row');
  return due;
}
