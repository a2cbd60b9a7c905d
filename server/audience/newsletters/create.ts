import { sql } from 'kysely';
import type { z } from 'zod';
import {
  type CreateMailing,
  type RecipientState,
  recipientStates,
} from '../../../shared/contract/features/mailings.ts';
import { toDate } from '../../../shared/contract/moments.ts';
import { tableOf } from '../../../shared/contract/names-of.ts';
import { plans } from '../../../shared/contract/plans.ts';
import { newRecordId } from '../../../shared/contract/record-id.ts';
import type { Transaction } from '../../../shared/db/config.ts';
import { MailingEntity } from '../../../shared/db/entities/mailings.ts';
import { Site } from '../../../shared/db/entities/site.ts';
import { isMeant, subscribersOf } from '../../../shared/newsletter/audience.ts';
import { ApiError, found } from '../../api/api-error.ts';
import type { Deps } from '../../api/deps.ts';
import { inTransaction, lockRow } from '../../api/transaction.ts';

export const noCopies = tableOf<Record<RecipientState, number>>(recipientStates.map((state) => [state, 0]));

/**
 * Has the worker mail a post, at once or when it is asked for. Throws `mail_not_configured`, `not_found`, `validation_failed` for a post
 * that nobody will be able to read by then, `already_mailed`, `newsletter_limit`.
 */
export function createMailing(
  deps: Deps,
  siteId: string,
  { post_id, subject, preheader, audience, send_at, on_unknown, again }: z.output<typeof CreateMailing>,
): Promise<{ id: string; created: Date }> {
  requireMail(deps);
  const sendAt = send_at ? toDate(send_at) : null;
  return inTransaction(deps, siteId, async (em) => {
    // One after the other: of two that are made at once, the second sees what the first one mails.
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
        ...noCopies,
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

/** Throws `mail_not_configured`. */
export function requireMail({ mailer }: Pick<Deps, 'mailer'>) {
  if (!mailer.delivers) throw new ApiError('mail_not_configured');
}

/**
 * Gives the moment by the database's clock, which says when mailings are due, of a post that can be read when it is mailed.
 * Throws `not_found`, `validation_failed`.
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

/** One that was cancelled before anybody can have got a copy counts for nothing. */
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

/** Recipients of all mailings of that month, in UTC: those there were, and those there are to be. */
async function countOfMonth(em: Transaction, siteId: string, sendAt: Date): Promise<number> {
  const month = sql`date_trunc('month', ${sendAt}::timestamptz at time zone 'utc')`;
  const { rows } = await sql<{ recipients: number }>`
    select coalesce(sum(case when prepared_at is null and status <> 'cancelled' then greatest(expected, recipients)
      else recipients - skipped end), 0) as recipients
    from mailings where site_id = ${siteId} and send_at >= ${month} at time zone 'utc'
      and send_at < (${month} + interval '1 month') at time zone 'utc'`.execute(em.getKysely());
  return found(rows[0]).recipients;
}
