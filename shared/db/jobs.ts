import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { z } from 'zod';
import { PauseReason } from '../contract/features/mailings.ts';
import { RecordId } from '../contract/record-id.ts';
import type { Transaction } from './config.ts';
import { openPool, type SessionSettings } from './session.ts';

/** Problem of a webhook that its owner gets an email about. */
export const WebhookNews = z.enum(['failing', 'switched_off']);
export type WebhookNews = z.infer<typeof WebhookNews>;

/** News of a sale that its owners get an email about. */
export const SaleNews = z.enum(['sold', 'disputed']);
export type SaleNews = z.infer<typeof SaleNews>;

const saleFields = { site_id: z.string(), collection: z.enum(['purchases', 'memberships']), id: RecordId };

/** Payload that the scheduler passes to each job. */
const Scheduled = z.object({ _cron: z.object({ ts: z.string() }) });

/**
 * Jobs that the worker runs, with their payloads. A scheduled job also has its times, in UTC and in the format of
 * `crontab`. A new job is a row here and a function of the same name in `worker/tasks.ts`.
 */
export const jobs = {
  /** Creates the deliveries of an event. */
  fan_out_event: { payload: z.object({ site_id: z.string(), event_id: RecordId }) },
  /**
   * Emails the owner about a webhook. The 12 attempts last about sixteen hours, because a mail server may be
   * unavailable for hours.
   */
  tell_owner: {
    payload: z.object({ site_id: z.string(), subscription_id: RecordId, news: WebhookNews }),
    attempts: 12,
  },
  /** Emails the owner about a paused mailing. The 12 attempts last about sixteen hours. */
  tell_owner_of_mailing: {
    payload: z.object({ site_id: z.string(), mailing_id: RecordId, reason: PauseReason }),
    attempts: 12,
  },
  /** Emails the owner about a payment key that Stripe refuses. The 12 attempts last about sixteen hours. */
  tell_owner_of_payments: { payload: z.object({ site_id: z.string() }), attempts: 12 },
  /**
   * Emails the link for choosing a new password to the owner with this address. The attempts last minutes, like the
   * link.
   */
  mail_password_reset: {
    payload: z.object({ email: z.string(), expires_at: z.iso.datetime() }),
    attempts: 6,
  },
  /** Emails a link to a new address. Opening the link changes the account to this address. */
  mail_email_change: {
    payload: z.object({
      site_id: z.string(),
      person_id: RecordId,
      email: z.string(),
      /** Time of the account's last change before the request. A later change invalidates the link. */
      updated: z.iso.datetime(),
      expires_at: z.iso.datetime(),
    }),
    attempts: 12,
  },
  /** Emails the former address of an account about the change. */
  mail_email_changed: {
    payload: z.object({ site_id: z.string(), to: z.string(), email: z.string() }),
    attempts: 12,
  },
  /** Emails an invited person the link to accept. */
  mail_invitation: {
    payload: z.object({
      site_id: z.string(),
      invitation_id: RecordId,
      expires_at: z.iso.datetime(),
      by: z.string(),
    }),
    attempts: 12,
  },
  /** Emails a new subscriber the link to confirm the subscription. */
  mail_confirmation: {
    payload: z.object({ site_id: z.string(), subscriber_id: RecordId, asked_at: z.iso.datetime() }),
    attempts: 12,
  },
  /** Emails the buyer of a purchase or membership. */
  mail_buyer: { payload: z.object(saleFields), attempts: 12 },
  /** Emails the owners about a sale, or about a dispute of its payment. */
  tell_owner_of_sale: { payload: z.object({ ...saleFields, news: SaleNews }), attempts: 12 },
  /**
   * Ends what a site left at an account of Stripe: the pages of these checkouts, and the webhook endpoint. The 25 attempts last
   * about four days.
   */
  leave_account: {
    payload: z.object({
      site_id: z.string(),
      account: z.object({
        account_id: z.string().nullable(),
        portal_ref: z.string().nullable(),
        hook_id: z.string().nullable(),
        public_url: z.string(),
        key_sealed: z.string(),
      }),
      checkouts: z.array(RecordId),
      left_at: z.iso.datetime(),
    }),
    attempts: 25,
  },
  /** Runs at minute 5, because views of the previous day are still being stored just after midnight. */
  roll_up_views: { payload: Scheduled, schedule: '5 * * * *', option: 'fill=1d' },
  prune: { payload: Scheduled, schedule: '17 * * * *' },
  end_memberships: { payload: Scheduled, schedule: '*/5 * * * *' },
  prune_media: { payload: Scheduled, schedule: '47 3 * * *' },
  empty_trash: { payload: Scheduled, schedule: '37 * * * *' },
} as const satisfies Record<string, Job>;

interface Job {
  payload: z.ZodType;
  schedule?: string;
  /** Maximum number of attempts; 1 if omitted. */
  attempts?: number;
  /** Options for the scheduler, such as how far back it runs missed times. */
  option?: string;
}

export type JobName = keyof typeof jobs;

export type JobPayload<Name extends JobName> = z.infer<(typeof jobs)[Name]['payload']>;

/**
 * SQL call that queues a job, for a `select` in the transaction that it belongs to. A job without `attempts` runs
 * once. The worker's sweep completes a lost fan-out; other lost jobs are not repeated.
 */
export const addJob = <Name extends JobName>(
  name: Name,
  payload: JobPayload<Name>,
  waitMs = 0,
): RawBuilder<unknown> => {
  const runAt = waitMs > 0 ? sql`, run_at => now() + ${waitMs} * interval '1 millisecond'` : sql``;
  return sql`add_job(${name}, ${JSON.stringify(payload)}::json, max_attempts => ${attemptsOf(jobs[name])}${runAt})`;
};

/** Queues a job in the transaction that it belongs to. It begins after `waitMs`. */
export const queueJob = <Name extends JobName>(
  em: Transaction,
  name: Name,
  payload: JobPayload<Name>,
  waitMs = 0,
) => sql`select ${addJob(name, payload, waitMs)}`.execute(em.getKysely());

const attemptsOf = (job: (typeof jobs)[JobName]) => ('attempts' in job ? job.attempts : 1);

/**
 * Opens a pool for Graphile Worker; the caller ends it. Graphile Worker removes its error listeners from its own pools
 * before it ends them. A connection error without a listener would end the process.
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
