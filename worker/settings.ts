import { z } from 'zod';
import { mailServer, mailVariables, needsBothForDkim } from '../shared/settings/mail-variables.ts';
import { mostPerUnit, origin, port, wholeNumber } from '../shared/settings/values.ts';
import {
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
      whenUnset: 'messages are kept in a folder beside the media, in production they are not sent',
    }),
    SMTP_CONNECTIONS: wholeNumber(1, 100)
      .prefault('5')
      .describe('connections to the mail server by which mailings are sent; a copy each is under way'),
    MAIL_LIMITS: mostPerUnit.optional().meta({
      description:
        'most copies of mailings that the mail server takes in any second, minute, hour or day, of all workers together: `14/s,50000/d`',
      whenUnset: 'there is no limit',
    }),
    ...mailVariables,
    BOUNCE_PORT: port.optional().meta({
      description:
        'port that the worker takes reports on by SMTP, those for MAIL_BOUNCE_DOMAIN: what its MX record leads to, or is handed on to',
      whenUnset: 'none are taken',
    }),
    BOUNCE_HOST: z.string().default('0.0.0.0').describe('address that they are taken on'),
    ...webhookVariables,
    ...processVariables,
  })
  .refine(({ BOUNCE_PORT, MAIL_BOUNCE_DOMAIN }) => BOUNCE_PORT === undefined || MAIL_BOUNCE_DOMAIN, {
    path: ['MAIL_BOUNCE_DOMAIN'],
    error: 'is required by BOUNCE_PORT',
  })
  .check(needsBothForDkim)
  .transform(withDatabaseSchema);

export type WorkerSettings = z.infer<typeof WorkerSettings>;
