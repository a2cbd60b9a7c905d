import { sql } from 'kysely';
import type { z } from 'zod';
import {
  type CreateMailing,
  type RecipientState,
  recipientStates,
} from '../../../shared/contract/features/mailings.ts';
import { tableOf } from '../../../shared/contract/names-of.ts';
import { plans } from '../../../shared/contract/plans.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import { toDate } from '../../../shared/contract/timestamps.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { MailingEntity } from '../../../shared/db/entities/mailings.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { isMeant, subscribersOf } from '../../../shared/newsletter/audience.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';

/**
 * Newsletter from draft to sent.
 *
 * A mailing moves through these states. A site has at most one mailing in `preparing`, `sending` or `paused`; others
 * wait in `scheduled`.
 *
 * - `scheduled`: created, for now or a later time. Edits of the post still count.
 * - `preparing`: the send time has come. The worker freezes the bodies, then adds the recipients in batches.
 * - `sending`: all recipients are stored, and the worker sends the emails.
 * - `sent`: no recipient is waiting. `retry` returns it to `sending`.
 * - `paused`: by the owner, by a brake of the sender, or because the body could not be rendered. `resume` returns it to
 *   `preparing` or `sending`, or to `sent` if no recipient is waiting.
 * - `cancelled`: by the owner, or because the post is not public at the send time. This state is final.
 */

export const noRecipients = tableOf<Record<RecipientState, number>>(
  recipientStates.map((state) => [state, 0]),
);

/**
 * Creates a mailing of a post, for now or for a later time. Throws `mail_not_configured`, `not_found`, and
 * `validation_failed` for a post that will not be public then. Throws `already_mailed` unless `again` is set, and
 * `newsletter_limit` above the plan's monthly number of recipients.
 */
export function createMailing(
  deps: Deps,
  siteId: string,
  { post_id, subject, preheader, audience, send_at, on_unknown, again }: z.output<typeof CreateMailing>,
): Promise<{ id: string; created: Date }> {
  requireMail(deps);
  const sendAt = send_at ? toDate(send_at) : null;
  return inTransaction(deps, siteId, async (em) => {
    // The lock lets the second of two concurrent calls see the mailing of the first.
    const { plan } = await lockRow(em, Site, { id: siteId });
    const now = await requireReadable(em, siteId, post_id, sendAt);
    if (!again && (await wasMailed(em, siteId, post_id))) throw new ApiError('already_mailed');
    const planned = sendAt ?? now;
    const expected = await countRecipients(em, { siteId, countsTest: deps.config.countsTest }, audience);
    if (expected + (await countOfMonth(em, siteId, planned)) > plans[plan].recipients)
      throw new ApiError('newsletter_limit');
    const created = deps.clock.now();
    const id = newRecordId(created, deps.randomBytes);
    em.persist(
      em.create(MailingEntity, {
        ...noRecipients,
        site_id: siteId,
        id,
        post_id,
        subject: subject ?? '',
        preheader: preheader ?? '',
        audience,
        on_unknown,
        status: 'scheduled',
        send_at: planned,
        ...{ recipients: 0, expected, refused_by_policy: 0, refused_before: 0 },
        created,
        updated: created,
      }),
    );
    return { id, created };
  });
}

/** Throws `mail_not_configured` if there is no mail server. */
export function requireMail({ mailer }: Pick<Deps, 'mailer'>) {
  if (!mailer.delivers) throw new ApiError('mail_not_configured');
}

/**
 * Checks that a post will be public when it is mailed. Returns the time of the database, which decides when mailings
 * are due. Throws `not_found` and `validation_failed`.
 */
async function requireReadable(em: Transaction, siteId: string, post_id: string, sendAt: Date | null) {
  const { rows } = await sql<{ now: Date; is_public: boolean; will_be: boolean }>`
    select clock_timestamp() as now, is_public,
      coalesce(is_draft and visibility = 'public' and publish_at <= ${sendAt}::timestamptz, false) as will_be
    from posts where site_id = ${siteId} and id = ${post_id}`.execute(em.getKysely());
  const { now, is_public, will_be } = found(rows[0]);
  if (!is_public && !will_be)
    throw new ApiError('validation_failed', 'post_id: the post must be public at the send time');
  return now;
}

/** Returns whether a post was mailed. A mailing that was cancelled before its first email does not count. */
async function wasMailed(em: Transaction, siteId: string, postId: string): Promise<boolean> {
  const { rows } = await sql`
    select from mailings where site_id = ${siteId} and post_id = ${postId} and (
      status <> 'cancelled' or sending + unknown + accepted + bounced + complained > 0
    ) limit 1`.execute(em.getKysely());
  return rows.length > 0;
}

async function countRecipients(
  em: Transaction,
  { siteId, countsTest }: { siteId: string; countsTest: boolean },
  audience: z.output<typeof CreateMailing>['audience'],
): Promise<number> {
  const { rows } = await sql<{ recipients: number }>`
    select count(*) as recipients from ${subscribersOf(siteId, countsTest)} and ${isMeant(audience)}`.execute(
    em.getKysely(),
  );
  return found(rows[0]).recipients;
}

/** Counts the recipients of all mailings in the month (UTC) of `sendAt`, past and scheduled ones. */
async function countOfMonth(em: Transaction, siteId: string, sendAt: Date): Promise<number> {
  const month = sql`date_trunc('month', ${sendAt}::timestamptz at time zone 'utc')`;
  const { rows } = await sql<{ recipients: number }>`
    select coalesce(sum(case when prepared_at is null and status <> 'cancelled' then greatest(expected, recipients)
      else recipients - skipped end), 0) as recipients
    from mailings where site_id = ${siteId} and send_at >= ${month} at time zone 'utc'
      and send_at < (${month} + interval '1 month') at time zone 'utc'`.execute(em.getKysely());
  return found(rows[0]).recipients;
}
