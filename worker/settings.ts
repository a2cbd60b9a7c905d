import { z } from 'zod';
import { mostPerUnit, origin, wholeNumber } from '../shared/settings/values.ts';
import {
  mailServer,
  processVariables,
  storageVariables,
  webhookVariables,
  withDatabaseSchema,
} from '../shared/settings/variables.ts';

/** Of `worker/main.ts`: webhooks are delivered and checked by the same settings in worker and server. */
export const WorkerSettings = z
  .object({
    ...storageVariables,
    PUBLIC_URL: origin
      .prefault('http://localhost:3000')
      .describe("the service's origin as clients see it, for links in mails"),
    SMTP_URL: mailServer.optional().meta({
      description:
        'mail server by which owners are told of failing webhooks, and get links to choose a new password',
      whenUnset: 'messages are written to the log, in production without what they say',
    }),
    SMTP_CONNECTIONS: wholeNumber(1, 100)
      .prefault('5')
      .describe('connections to the mail server by which mailings are sent; a copy each is under way'),
    MAIL_LIMITS: mostPerUnit.optional().meta({
      description:
        'most copies of mailings that the mail server takes in any second, minute, hour or day, of all workers together: `14/s,50000/d`',
      whenUnset: 'there is no limit',
    }),
    ...webhookVariables,
    ...processVariables,
  })
  .transform(withDatabaseSchema);

export type WorkerSettings = z.infer<typeof WorkerSettings>;
