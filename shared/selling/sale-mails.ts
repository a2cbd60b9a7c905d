import type { Transaction } from '../db/config.ts';
import { type JobPayload, queueJob } from '../db/jobs.ts';

type Sale = JobPayload<'mail_buyer'>;

/** Queues the emails of a sale in the transaction that inserts it: one to the buyer, and one to the owners. */
export async function queueSaleMails(em: Transaction, sale: Sale): Promise<void> {
  await queueJob(em, 'mail_buyer', sale);
  await queueJob(em, 'tell_owner_of_sale', { ...sale, news: 'sold' });
}

/** Queues the email to the owners about a dispute of a payment, in the transaction that opens the dispute. */
export async function queueDisputeMail(em: Transaction, sale: Sale): Promise<void> {
  await queueJob(em, 'tell_owner_of_sale', { ...sale, news: 'disputed' });
}
