import { z } from 'zod';
import { mailServer, mailVariables, needsBothForDkim } from '../shared/runtime/settings/mail-variables.ts';
import { maxPerUnit, origin, port, wholeNumber } from '../shared/runtime/settings/values.ts';
import {
  paymentVariables,
  processVariables,
  storageVariables,
  webhookVariables,
  withDatabaseSchema,
} from '../shared/runtime/settings/variables.ts';

/** Settings of `worker/main.ts`. Webhook variables are shared with the server, which checks URLs by the same rules. */
export const WorkerSettings = z
  .object({
    ...storageVariables,
    PUBLIC_URL: origin
      .prefault('http://localhost:3000')
      .describe('public address (origin) of the service, for links in emails'),
    SMTP_URL: mailServer.optional().meta({
      description:
        'address of the mail server for newsletters, notices to owners and password links, such as smtp://user:password@mail.example.com:587',
      whenUnset: 'emails are stored in a folder beside the media; in production they are dropped',
    }),
    SMTP_CONNECTIONS: wholeNumber(1, 100)
      .prefault('5')
      .describe('number of connections to the mail server for newsletters; each sends one email at a time'),
    MAIL_LIMITS: maxPerUnit.optional().meta({
      description:
        'maximum number of newsletter emails per second (s), minute (m), hour (h) or day (d), for all workers together, such as 14/s,50000/d',
      whenUnset: 'no limit',
    }),
    ...mailVariables,
    BOUNCE_PORT: port.optional().meta({
      description:
        'SMTP port on which the worker receives bounces for MAIL_BOUNCE_DOMAIN; the MX record of that domain, or your mail server, must forward to it',
      whenUnset: 'no bounces are received',
    }),
    BOUNCE_HOST: z.string().default('0.0.0.0').describe('address to receive bounces on'),
    ...webhookVariables,
    ...paymentVariables,
    ...processVariables,
  })
  .refine(({ BOUNCE_PORT, MAIL_BOUNCE_DOMAIN }) => BOUNCE_PORT === undefined || MAIL_BOUNCE_DOMAIN, {
    path: ['MAIL_BOUNCE_DOMAIN'],
    error: 'is required by BOUNCE_PORT',
  })
  .check(needsBothForDkim)
  .transform(withDatabaseSchema);

export type WorkerSettings = z.infer<typeof WorkerSettings>;
