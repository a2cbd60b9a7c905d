import { z } from 'zod';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { MailingRecipient } from './mailings.ts';

/** What was mailed to one reader. */
export const ListReceived = z.strictObject({
  subscriber_id: RecordId.meta({ description: 'Whose copies' }),
  ...pageQuery,
});

const { state, body, attempts, doubts, reply_code, reply_status, due_at, ended_at } = MailingRecipient.shape;

/** A copy as its reader's page has it. */
const ReceivedCopy = z
  .strictObject({
    id: RecordId,
    mailing_id: RecordId.meta({ description: 'Of which mailing' }),
    subject: z.string().meta({ description: 'Its subject', examples: ['Why types pay'] }),
    ...{ state, body, attempts, doubts, reply_code, reply_status, due_at, ended_at },
  })
  .meta({ title: 'ReceivedCopy' });

export const ReceivedPage = numberedPage(ReceivedCopy);
