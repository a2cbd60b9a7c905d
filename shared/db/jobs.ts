import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { z } from 'zod';
import { PauseReason } from '../contract/features/mailings.ts';
import { RecordId } from '../contract/record-id.ts';
import type { Transaction } from './config.ts';
import { openPool, type SessionSettings } from './session.ts';

/** What an owner is told of a webhook. */
export const WebhookNews = z.enum(['failing', 'switched_off']);
export type WebhookNews = z.infer<typeof WebhookNews>;

/** What the schedule of jobs passes to each of them. */
const Scheduled = z.object({ _cron: z.object({ ts: z.string() }) });

/**
 * The jobs that the worker runs: what each is told, and for scheduled ones when they run, as `crontab` says it, in UTC.
 * A new job is a row here and a function of that name in `worker/tasks.ts`.
 */
export const jobs = {
  /** Tells of an event whose deliveries are yet to be written. */
  fan_out_event: { payload: z.object({ site_id: z.string(), event_id: RecordId }) },
  /** Mails the owner. A mail server may be away for hours: these tries last for about sixteen. */
  tell_owner: {
    payload: z.object({ site_id: z.string(), subscription_id: RecordId, news: WebhookNews }),
    attempts: 12,
  },
  /** Mails the owner of a mailing that does not go on by itself, as patiently. */
  tell_owner_of_mailing: {
    payload: z.object({ site_id: z.string(), mailing_id: RecordId, reason: PauseReason }),
    attempts: 12,
  },
  /** Mails a link to choose a new password by, to the owner with this address. Its tries last for minutes, as the link does. */
  mail_password_reset: {
    payload: z.object({ email: z.string(), expires_at: z.iso.datetime() }),
    attempts: 6,
  },
  /** Mails a link to a new address by which it becomes that of an account. */
  mail_email_change: {
    payload: z.object({
      site_id: z.string(),
      person_id: RecordId,
      email: z.string(),
      /** When the account was changed last before it was asked for. */
      updated: z.iso.datetime(),
      expires_at: z.iso.datetime(),
    }),
    attempts: 12,
  },
  /** Tells the address that an account had before. */
  mail_email_changed: {
    payload: z.object({ site_id: z.string(), to: z.string(), email: z.string() }),
    attempts: 12,
  },
  /** Mails somebody who was asked to work on a site the link to accept. */
  mail_invitation: {
    payload: z.object({
      site_id: z.string(),
      invitation_id: RecordId,
      expires_at: z.iso.datetime(),
      by: z.string(),
    }),
    attempts: 12,
  },
  /** Asks whoever subscribed to confirm it. */
  mail_confirmation: {
    payload: z.object({ site_id: z.string(), subscriber_id: RecordId, asked_at: z.iso.datetime() }),
    attempts: 12,
  },
  /** Its minutes of the hour keep it clear of the day's first moments, when views are still being stored. */
  roll_up_views: { payload: Scheduled, schedule: '5 * * * *', option: 'fill=1d' },
  prune: { payload: Scheduled, schedule: '17 * * * *' },
  prune_media: { payload: Scheduled, schedule: '47 3 * * *' },
  empty_trash: { payload: Scheduled, schedule: '37 * * * *' },
} as const satisfies Record<string, Job>;

interface Job {
  payload: z.ZodType;
  schedule?: string;
  /** How often it is tried; once when left out. */
  attempts?: number;
  /** How the schedule treats this job, such as how far back it makes up for runs that were missed. */
  option?: string;
}

export type JobName = keyof typeof jobs;

export type JobPayload<Name extends JobName> = z.infer<(typeof jobs)[Name]['payload']>;

/**
 * SQL of the call that puts a job into the queue, for a `select` in the transaction of what it is about. A job is tried
 * once, unless its row says otherwise: what one that was lost left undone, the worker's sweep finds.
 */
export const addJob = <Name extends JobName>(name: Name, payload: JobPayload<Name>): RawBuilder<unknown> =>
  sql`add_job(${name}, ${JSON.stringify(payload)}::json, max_attempts => ${attemptsOf(jobs[name])})`;

/** Puts a job into the queue, in the transaction of what it is about. */
export const queueJob = <Name extends JobName>(em: Transaction, name: Name, payload: JobPayload<Name>) =>
  sql`select ${addJob(name, payload)}`.execute(em.getKysely());

const attemptsOf = (job: (typeof jobs)[JobName]) => ('attempts' in job ? job.attempts : 1);

/**
 * Opens a pool for Graphile Worker; the caller ends it. Graphile Worker removes its listeners from a pool of its own before it ends
 * it, and an error of a connection without listeners would end the process.
 */
export function openJobPool(
  databaseUrl: string,
  { settings = {}, onBroken = () => {} }: { settings?: SessionSettings; onBroken?(error: Error): void } = {},
): pg.Pool {
  const pool = openPool({
    connectionString: databaseUrl,
    application_name: 'job-queue',
    keepAlive: true,
    settings,
  });
  pool.on('error', onBroken);
  pool.on('connect', (client) => client.on('error', onBroken));
  return pool;
}
