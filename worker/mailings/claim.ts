import { type Kysely, sql } from 'kysely';
import { type CountChanges, moved } from '../../shared/db/mailing-counts.ts';
import { bodyFor, hasBought } from '../../shared/newsletter/audience.ts';
import { suppressionHash } from '../../shared/newsletter/mail-key.ts';

export interface MailingKey {
  site_id: string;
  mailing_id: string;
}

/** A copy that this process may send now. */
export interface ClaimedCopy extends MailingKey {
  id: string;
  subscriber_id: string;
  email: string;
  body: 'open' | 'closed';
  /** Which attempt this is, from 1. With the lease it tells this claim from every other of the same copy. */
  attempts: number;
  lease_until: Date;
}

interface ClaimedMailing extends MailingKey {
  post_id: string;
  /** Of the site. */
  mailKey: string;
}

/** How long a copy belongs to the process that sends it, in seconds; an attempt is over well before. */
export const leaseSeconds = 60;

/** What is due: those who wait for their turn, with what they may read at this moment. */
interface DueCopy {
  id: string;
  email: string;
  state: 'queued' | 'retrying' | 'unknown';
  /** Of the post; null where readers can't see it any more. */
  access_tier: string | null;
  /** Whether they want it still. */
  is_active: boolean;
  tiers: string[] | null;
  has_bought: boolean;
}

/**
 * Begins to send copies to readers whose turn it is, and who want them at this very moment: whoever unsubscribed or is
 * suppressed is passed over.
 * What each may read is settled here, by the one gate. The mailing is locked, so nobody else claims of it; null when its
 * post can't be read any more.
 */
export async function claimCopies(
  db: Kysely<unknown>,
  { site_id, mailing_id, post_id, mailKey }: ClaimedMailing,
  { most, changes }: { most: number; changes: CountChanges },
): Promise<ClaimedCopy[] | null> {
  const { rows: due } = await sql<DueCopy>`
    select r.id, r.email, r.state, coalesce(s.status = 'active', false) as is_active, post.access_tier, m.access_tiers as tiers,
      ${hasBought(site_id, post_id, sql`r.email`)} as has_bought
    from mailing_recipients r
    left join posts post on post.site_id = r.site_id and post.id = ${post_id} and post.is_public
    left join subscribers s on s.site_id = r.site_id and s.id = r.subscriber_id
    left join members m on m.site_id = r.site_id and m.email = r.email and m.status = 'active'
    where r.site_id = ${site_id} and r.mailing_id = ${mailing_id} and r.due_at <= clock_timestamp() and r.state <> 'sending'
    order by r.due_at limit ${most}`.execute(db);
  if (due.some(({ access_tier }) => access_tier === null)) return null;
  if (due.length === 0) return [];
  const hashes = due.map(({ email }) => suppressionHash(mailKey, email));
  const { rows: suppressions } = await sql<{ email_hash: string }>`
    select email_hash from suppressions where site_id = ${site_id} and email_hash = any(${hashes}::text[])`.execute(
    db,
  );
  const suppressed = new Set(suppressions.map(({ email_hash }) => email_hash));
  const isWanted = ({ is_active }: DueCopy, at: number) => is_active && !suppressed.has(hashes[at] ?? '');
  const wanted = due.filter(isWanted);
  const skipped = due.filter((copy, at) => !isWanted(copy, at));
  for (const { state } of wanted) moved(changes, { from: state, to: 'sending' });
  for (const { state } of skipped) moved(changes, { from: state, to: 'skipped' });
  if (skipped.length > 0)
    await sql`
    update mailing_recipients set state = 'skipped', due_at = null, ended_at = clock_timestamp()
    where site_id = ${site_id} and id = any(${skipped.map(({ id }) => id)}::text[])`.execute(db);
  const bodies = wanted.map(({ id, access_tier, ...reader }) => ({
    id,
    body: bodyFor({ id: post_id, access_tier: access_tier ?? '' }, reader),
  }));
  const { rows } = await sql<ClaimedCopy>`
    update mailing_recipients r set state = 'sending', attempts = r.attempts + 1, body = b.body,
      lease_until = clock_timestamp() + ${leaseSeconds} * interval '1 second',
      due_at = clock_timestamp() + ${leaseSeconds} * interval '1 second'
    from json_to_recordset(${JSON.stringify(bodies)}::json) as b(id text, body text)
    where r.site_id = ${site_id} and r.id = b.id
    returning r.site_id, r.mailing_id, r.id, r.subscriber_id, r.email, r.body, r.attempts, r.lease_until`.execute(
    db,
  );
  return rows;
}
