import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import type { MailingStatus, RecipientState } from '../../../shared/contract/features/mailings.ts';
import {
  type CountChanges,
  countsAfter,
  type MailingKey,
  moved,
  recipientsOf,
  waitingOf,
} from '../../../shared/db/mailing-counts.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { StoreDeps } from '../../api/deps.ts';
import { inTransaction } from '../../api/transaction.ts';

interface LockedMailing extends MailingKey {
  db: Kysely<unknown>;
  on_unknown: 'repeat' | 'leave';
  status: MailingStatus;
}

/** Statuses of a mailing in which each operation is allowed. */
const possible = {
  pause: ['preparing', 'sending'],
  resume: ['paused'],
  cancel: ['scheduled', 'preparing', 'sending', 'paused'],
  retry: ['sending', 'paused', 'sent'],
} as const satisfies Record<string, readonly MailingStatus[]>;

/**
 * Changes a mailing under the lock that each round of the sender takes first. Emails that were claimed before are sent
 * as planned. Throws `not_found` and `mailing_state`.
 */
const steers =
  <Result>(step: keyof typeof possible, work: (mailing: LockedMailing) => Promise<Result>) =>
  (deps: StoreDeps, key: MailingKey): Promise<Result> =>
    inTransaction(deps, key.site_id, async (em) => {
      const db = em.getKysely<unknown>();
      const { rows } = await sql<Pick<LockedMailing, 'status' | 'on_unknown'>>`
        select status, on_unknown from mailings where ${isMailing(key)} for update`.execute(db);
      const mailing = found(rows[0]);
      const allowed: readonly MailingStatus[] = possible[step];
      if (!allowed.includes(mailing.status))
        throw new ApiError(
          'mailing_state',
          `${step}: not allowed while the mailing is \`${mailing.status}\``,
        );
      return work({ ...mailing, ...key, db });
    });

const isMailing = ({ site_id, mailing_id }: MailingKey) => sql`site_id = ${site_id} and id = ${mailing_id}`;

/**
 * Pauses a mailing. No more recipients are claimed; emails being sent are completed. Throws `not_found`, or
 * `mailing_state` if its status does not allow it.
 */
export const pauseMailing = steers('pause', async ({ db, ...mailing }) => {
  await sql`
    update mailings set status = 'paused', pause_reason = 'by_owner', updated = clock_timestamp()
    where ${isMailing(mailing)}`.execute(db);
});

/**
 * Resumes a mailing. If recipients were still being added, it returns to `preparing`. Earlier refusals no longer
 * count for the brakes. Throws `not_found`, or `mailing_state` if its status does not allow it.
 */
export const resumeMailing = steers('resume', async ({ db, ...mailing }) => {
  await sql`
    update mailings set pause_reason = null, refused_by_policy = 0, refused_before = refused, updated = clock_timestamp(),
      status = case when prepared_at is null then 'preparing' when waiting.is_over then 'sent' else 'sending' end,
      ended_at = case when prepared_at is not null and waiting.is_over then clock_timestamp() end
    from ${waitingOf(mailing)} where ${isMailing(mailing)}`.execute(db);
});

/**
 * Cancels a mailing. Waiting recipients are skipped; emails being sent are completed. Throws `not_found`, or
 * `mailing_state` if its status does not allow it.
 */
export const cancelMailing = steers('cancel', async ({ db, ...mailing }) => {
  const changes: CountChanges = {};
  for (const from of ['queued', 'retrying'] as const)
    await moveRecipients(db, mailing, changes, from, 'skipped');
  await changeRecipients(db, mailing, sql`state = 'unknown' and due_at is not null`, sql`due_at = null`);
  await sql`
    update mailings set ${countsAfter(changes)}, status = 'cancelled', pause_reason = null,
      ended_at = clock_timestamp(), updated = clock_timestamp()
    where ${isMailing(mailing)}`.execute(db);
});

/**
 * Retries refused recipients, and unconfirmed ones unless `on_unknown` is `leave`, with their attempts reset. A sent
 * mailing returns to `sending`. Returns the number of these recipients. Throws `not_found`, or `mailing_state` if its
 * status does not allow it or another mailing of the site is being sent.
 */
export const retryMailing = steers('retry', async ({ db, on_unknown, ...mailing }) => {
  const changes: CountChanges = {};
  const states: RecipientState[] = on_unknown === 'leave' ? ['refused'] : ['refused', 'unknown'];
  for (const from of states) await moveRecipients(db, mailing, changes, from, 'queued');
  const retried = changes.queued ?? 0;
  if (retried === 0) return { retried };
  const opened = sql`
    update mailings set ${countsAfter(changes)}, refused_by_policy = 0, refused_before = 0, updated = clock_timestamp(),
      status = case status when 'sent' then 'sending' else status end, ended_at = null
    where ${isMailing(mailing)}`.execute(db);
  await opened.catch(refuseSecond);
  return { retried };
});

/** Changes the state of recipients, and adds their number to `changes`. */
async function moveRecipients(
  db: Kysely<unknown>,
  mailing: MailingKey,
  changes: CountChanges,
  from: RecipientState,
  to: 'queued' | 'skipped',
) {
  const set =
    to === 'skipped'
      ? sql`state = 'skipped', due_at = null, ended_at = clock_timestamp()`
      : sql`state = 'queued', due_at = clock_timestamp(), ended_at = null, attempts = 0`;
  moved(changes, { from, to, count: await changeRecipients(db, mailing, sql`state = ${from}`, set) });
}

/** Number of recipients per statement, since all of a large mailing would exceed the statement timeout. */
const atOnce = 20_000;

/**
 * Changes recipients of a mailing that meet the condition `which`, and returns their number. Each statement continues
 * after the previous one.
 */
async function changeRecipients(
  db: Kysely<unknown>,
  mailing: MailingKey,
  which: RawBuilder<unknown>,
  set: RawBuilder<unknown>,
) {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const left: RawBuilder<unknown> = sql`${recipientsOf(mailing)} and ${which} and subscriber_id > ${after}`;
    const { rows } = await sql<{ subscriber_id: string }>`
      select subscriber_id from mailing_recipients where ${left}
      order by subscriber_id offset ${atOnce - 1} limit 1`.execute(db);
    const through: string | undefined = rows[0]?.subscriber_id;
    const { numAffectedRows = 0n } = await sql`
      update mailing_recipients set ${set}
      where ${left} ${through === undefined ? sql`` : sql`and subscriber_id <= ${through}`}`.execute(db);
    count += Number(numAffectedRows);
    after = through;
  }
  return count;
}

/** Throws `mailing_state` if another mailing of the site is being sent; rethrows other errors. */
function refuseSecond(cause: unknown): never {
  if (!OneAtATime.safeParse(cause).success) throw cause;
  throw new ApiError('mailing_state', 'retry: not allowed while another mailing of the site is being sent', {
    cause,
  });
}

const OneAtATime = z.object({ constraint: z.literal('mailings_one_at_a_time_idx') });
