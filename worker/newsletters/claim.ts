import { type Kysely, sql } from 'kysely';
import { preparedStatement } from '../../shared/db/client.ts';
import { type CountChanges, type MailingKey, moved } from '../../shared/db/mailing-counts.ts';
import { bodyFor } from '../../shared/newsletter/audience.ts';
import { suppressionHash } from '../../shared/newsletter/mail-key.ts';
import { entitlementsOf, hasBought } from '../../shared/selling/entitlements.ts';

/** Recipient whose email this process may send now. */
export interface ClaimedRecipient extends MailingKey {
  id: string;
  subscriber_id: string;
  email: string;
  body: 'open' | 'closed';
  /** Attempt number, from 1. Number and lease together identify this claim of the recipient. */
  attempts: number;
  lease_until: Date;
}

/** Duration of a recipient's lease, in seconds. An attempt times out well before. */
export const leaseSeconds = 60;

/** Recipient that is due, with the reader's current access. */
interface DueRecipient {
  id: string;
  email: string;
  state: 'queued' | 'retrying' | 'unknown';
  /** Access tier of the post; null if the post is no longer public. */
  access_tier: string | null;
  /** True if the subscription is still active. */
  is_active: boolean;
  is_member: boolean;
  tiers: string[];
  has_bought: boolean;
}

/**
 * Claims at most `max` recipients that are due, and decides the access of each reader to the post. Readers who unsubscribed
 * or are suppressed are skipped. The caller has locked the mailing, so that no other process claims its recipients. Null if
 * the post is no longer public, and empty if no recipient is due.
 */
export async function claimRecipients(
  db: Kysely<unknown>,
  { site_id, mailing_id, post_id, mailKey }: MailingKey & { post_id: string; mailKey: string },
  { max, changes, countsTest }: { max: number; changes: CountChanges; countsTest: boolean },
): Promise<ClaimedRecipient[] | null> {
  const reader = { siteId: site_id, email: sql`r.email`, countsTest };
  // Use a literal limit: with a parameter, PostgreSQL's generic plan expects a tenth of all recipients.
  const { rows: due } = await sql<DueRecipient>`${preparedStatement}
    select r.id, r.email, r.state, coalesce(s.status = 'active', false) as is_active, post.access_tier, e.is_member, e.tiers,
      ${hasBought(reader, { collection: 'posts', id: post_id })} as has_bought
    from mailing_recipients r
    left join posts post on post.site_id = r.site_id and post.id = ${post_id} and post.is_public
    left join subscribers s on s.site_id = r.site_id and s.id = r.subscriber_id
    cross join lateral ${entitlementsOf({ ...reader, at: sql`statement_timestamp()` })} e
    where r.site_id = ${site_id} and r.mailing_id = ${mailing_id} and r.due_at <= statement_timestamp() and r.state <> 'sending'
    order by r.due_at limit ${sql.lit(max)}`.execute(db);
  if (due.some(({ access_tier }) => access_tier === null)) return null;
  if (due.length === 0) return [];
  const readers = due.map(({ id, email, access_tier, is_active, ...reader }) => ({
    id,
    body: bodyFor({ id: post_id, access_tier: access_tier ?? '' }, reader),
    is_active,
    email_hash: suppressionHash(mailKey, email),
  }));
  const { rows } = await sql<ClaimedRecipient & { state: 'sending' | 'skipped' }>`${preparedStatement}
    update mailing_recipients r set state = case when b.is_wanted then 'sending' else 'skipped' end,
      attempts = r.attempts + b.is_wanted::integer, body = case when b.is_wanted then b.body else r.body end,
      lease_until = b.lease_until, due_at = b.lease_until, ended_at = case when not b.is_wanted then clock_timestamp() end
    from (
      select id, body, is_wanted, case when is_wanted then clock_timestamp() + ${leaseSeconds} * interval '1 second' end as lease_until
      from json_to_recordset(${JSON.stringify(readers)}::json) as b(id text, body text, is_active boolean, email_hash text),
        lateral (select is_active and not exists (
          select from suppressions s where s.site_id = ${site_id} and s.email_hash = b.email_hash
        ) as is_wanted) wanted
    ) b
    where r.site_id = ${site_id} and r.id = b.id
    returning r.site_id, r.mailing_id, r.id, r.subscriber_id, r.email, r.body, r.attempts, r.lease_until, r.state`.execute(
    db,
  );
  const before = new Map(due.map(({ id, state }) => [id, state]));
  for (const { id, state } of rows) moved(changes, { from: before.get(id) ?? 'queued', to: state });
  return rows.filter(({ state }) => state === 'sending');
}
