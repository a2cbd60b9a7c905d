import { type Kysely, sql } from 'kysely';
import type { SuppressionReason } from '../contract/features/mail-reports.ts';
import { newsletter } from '../contract/features/mailings.ts';
import { suppressionHash } from './mail-key.ts';
import { suppress } from './suppressions.ts';

export interface EmailSiteKey {
  site_id: string;
  mailKey: string;
}

/** Result of one email for its reader. */
export interface Judgement {
  email: string;
  /** ID of the reader's subscriber row; null if it no longer exists. */
  subscriber_id: string | null;
  /** Mailing of the email, if known. */
  mailing_id: string | null;
  what: ReaderVerdict | 'complaint';
  at: Date;
}

/**
 * Ends and suppresses subscriptions whose readers complained or whose mailboxes fail. A complaint or a missing mailbox ends
 * a subscription immediately. Permanent refusals end it after two mailings in a row, and delays after
 * `newsletter.delays.max` (4) in a row. No other code does this.
 */
export async function judgeReaders(
  db: Kysely<unknown>,
  site: EmailSiteKey,
  judgements: readonly Judgement[],
): Promise<void> {
  const of = (what: Judgement['what']) => judgements.filter((one) => one.what === what);
  const failing = of('failing');
  const delayed = of('delayed');
  const again = failing.length > 0 ? await failedBefore(db, site, failing) : failing;
  const often = delayed.length > 0 ? await delayedTooOften(db, site, delayed) : delayed;
  await end(db, site, 'bounced', [...of('gone'), ...again, ...often]);
  await end(db, site, 'complained', of('complaint'));
}

/** Returns the elements of `failing` whose reader also refused or bounced the previous email permanently. */
async function failedBefore(db: Kysely<unknown>, { site_id }: EmailSiteKey, failing: readonly Judgement[]) {
  const { rows } = await sql<{ subscriber_id: string }>`
    select f.subscriber_id from json_to_recordset(${JSON.stringify(failing)}::json) as f(subscriber_id text, mailing_id text)
    join mailings this on this.site_id = ${site_id} and this.id = f.mailing_id
    cross join lateral (
      select r.state, r.reply_code, r.reply_status from mailings m
      join mailing_recipients r on r.site_id = m.site_id and r.mailing_id = m.id and r.subscriber_id = f.subscriber_id
      where m.site_id = ${site_id} and m.frozen_at < this.frozen_at and r.state in ('accepted', 'refused', 'bounced', 'complained')
      order by m.frozen_at desc limit 1
    ) before
    where before.state in ('refused', 'bounced') and coalesce(left(before.reply_status, 1), left(before.reply_code::text, 1)) = '5'
      and coalesce(before.reply_status, '') !~ ${heldAgainstMailing.source}`.execute(db);
  const ids = new Set(rows.map(({ subscriber_id }) => subscriber_id));
  return failing.filter(({ subscriber_id }) => subscriber_id !== null && ids.has(subscriber_id));
}

/**
 * Counts a delay for each reader, and returns those with too many in a row. The count restarts after `maxGapDays`
 * without a delay.
 */
async function delayedTooOften(
  db: Kysely<unknown>,
  { site_id }: EmailSiteKey,
  delayed: readonly Judgement[],
) {
  const { maxGapDays, max } = newsletter.delays;
  const { rows } = await sql<{ id: string; soft_bounces: number }>`
    update subscribers s set last_bounce_at = d.at,
      soft_bounces = case when s.last_bounce_at >= d.at - ${maxGapDays} * interval '1 day' then s.soft_bounces + 1 else 1 end
    from json_to_recordset(${JSON.stringify(delayed)}::json) as d(subscriber_id text, at timestamptz)
    where s.site_id = ${site_id} and s.id = d.subscriber_id and s.status = 'active'
    returning s.id, s.soft_bounces`.execute(db);
  const ids = new Set(rows.flatMap(({ id, soft_bounces }) => (soft_bounces >= max ? [id] : [])));
  return delayed.filter(({ subscriber_id }) => subscriber_id !== null && ids.has(subscriber_id));
}

/**
 * Ends subscriptions and suppresses addresses. A subscription that ended earlier changes only for a complaint. A bounce
 * older than the reader's latest confirmation is ignored.
 */
async function end(
  db: Kysely<unknown>,
  { site_id, mailKey }: EmailSiteKey,
  reason: Extract<SuppressionReason, 'bounced' | 'complained'>,
  judgements: readonly Judgement[],
) {
  if (judgements.length === 0) return;
  const may =
    reason === 'complained'
      ? sql`s.status <> 'complained'`
      : sql`s.status in ('pending', 'active') and coalesce(s.confirmed_at < j.at, true)`;
  const { rows } = await sql<{ id: string; has_ended: boolean }>`
    with judged as (
      select distinct on (subscriber_id) subscriber_id, at
      from json_to_recordset(${JSON.stringify(judgements)}::json) as j(subscriber_id text, at timestamptz)
      where subscriber_id is not null order by subscriber_id, at
    ), there as (
      select s.id, ${may} as has_ended, j.at from subscribers s join judged j on j.subscriber_id = s.id
      where s.site_id = ${site_id} order by s.id for update of s
    ), ended as (
      update subscribers s set status = ${reason}, ended_at = there.at from there
      where s.site_id = ${site_id} and s.id = there.id and there.has_ended
    )
    select id, has_ended from there`.execute(db);
  const staying = new Set(rows.flatMap(({ id, has_ended }) => (has_ended ? [] : [id])));
  const suppressed = judgements
    .filter(({ subscriber_id }) => reason === 'complained' || !staying.has(subscriber_id ?? ''))
    .map(({ email, at: created }) => ({ email_hash: suppressionHash(mailKey, email), reason, created }));
  const addresses = [...new Map(suppressed.map((address) => [address.email_hash, address])).values()];
  await suppress(db, site_id, addresses);
}

/**
 * Server's answer to an email, from the SMTP session or a bounce report: reply code, and enhanced status code (RFC
 * 3463).
 */
export interface ServerReply {
  reply_code: number | null;
  reply_status: string | null;
}

/**
 * Verdict on a reader's mailbox. `gone`: it does not exist. `failing`: it refuses email permanently. `delayed`: it
 * refused email temporarily until the server gave up.
 */
type ReaderVerdict = 'gone' | 'failing' | 'delayed';

const classOf = ({ reply_code, reply_status }: ServerReply) =>
  reply_status?.[0] ?? String(reply_code ?? '')[0];

/**
 * Status codes that concern the email or its sender instead of the reader: policy (5.7), and refused senders (5.1.7,
 * 5.1.8).
 */
export const heldAgainstMailing = /^5\.(7\.[0-9]+|1\.[78])$/;

/** Returns true if the email or its sender was refused. */
export const isHeldAgainstMailing = ({ reply_status }: ServerReply): boolean =>
  heldAgainstMailing.test(reply_status ?? '');

/** Returns the verdict on the reader's mailbox; null if the answer does not concern it. */
export function verdictOf(reply: ServerReply): ReaderVerdict | null {
  if (isHeldAgainstMailing(reply)) return null;
  if (/^5\.(1\.\d+|2\.1)$/.test(reply.reply_status ?? '')) return 'gone';
  return verdicts[classOf(reply) ?? ''] ?? null;
}

const verdicts: Readonly<Record<string, ReaderVerdict>> = { 4: 'delayed', 5: 'failing' };
