import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { numberedPage, pageQuery } from '../pagination.ts';
import { RecordId } from '../record-id.ts';
import { MailingRecipient } from './mailings.ts';

/** What was mailed to one reader. */
export const ListReceived = z.strictObject({
  subscriber_id: RecordId.describe('ID of the subscriber'),
  ...pageQuery,
});

const { state, body, attempts, unconfirmed, reply_code, reply_status, due_at, ended_at } =
  MailingRecipient.shape;

/** A copy as its reader's page has it. */
const ReceivedCopy = titled('ReceivedCopy', {
  id: RecordId,
  mailing_id: RecordId.describe('ID of the mailing'),
  subject: documented(z.string(), 'Subject of the email', 'Why types pay'),
  ...{ state, body, attempts, unconfirmed, reply_code, reply_status, due_at, ended_at },
});

export const ReceivedPage = numberedPage(ReceivedCopy);
