import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { MailingStatus, RecipientState } from '../../shared/contract/features/mailings.ts';
import { retryDelaysSeconds } from '../../shared/contract/limits.ts';
import { isInvalidLease } from '../../shared/db/advisory-lock.ts';
import { preparedStatement } from '../../shared/db/client.ts';
import { type CountChanges, type MailingKey, moved } from '../../shared/db/mailing-counts.ts';
import {
  type EmailSiteKey,
  type Judgement,
  judgeReaders,
  verdictOf,
} from '../../shared/newsletter/end-failing-subscriptions.ts';
import { type ClaimedRecipient, leaseSeconds } from './claim.ts';
import type { Outcome } from './relay.ts';

/** Claimed recipient with the outcome of its attempt. */
export interface SettledRecipient extends ClaimedRecipient {
  outcome: Outcome;
}

/** Delay before an unconfirmed email is sent again, in seconds: gives a bounce time to arrive. */
const unconfirmedSeconds = 600;

/** Delay before a recipient is retried if no mail server was reachable or nothing was attempted, in seconds. */
const awaySeconds = 60;

/** Mailing as locked by a round. */
export interface LockedMailing {
  post_id: string;
  status: MailingStatus;
  accepted: number;
  refused: number;
  bounced: number;
  complained: number;
  refused_by_policy: number;
  refused_before: number;
  /** True if recipients with an expired lease exist: their process died. */
  has_lost: boolean;
  /** Recipients whose outcomes were stored, with their new state. */
  written: { id: string; state: RecipientState }[];
}

/**
 * State of a recipient after an attempt. `due_in` is the delay before the next attempt in seconds, or null if the state
 * is final. For `unknown` it applies only if the mailing repeats unconfirmed emails.
 */
interface NextState {
  state: RecipientState;
  due_in: number | null;
  /** False if the attempt does not count toward the maximum number of attempts. */
  counts: boolean;
}

/** Returns the next state of a recipient. A temporary failure of the last allowed attempt becomes `refused`. */
function nextOf({ outcome, attempts }: Pick<SettledRecipient, 'outcome' | 'attempts'>): NextState {
  switch (outcome.kind) {
    case 'accepted':
    case 'refused':
      return { state: outcome.kind, due_in: null, counts: true };
    case 'away':
    case 'untried':
      return { state: 'retrying', due_in: awaySeconds, counts: false };
    case 'retrying': {
      const due_in = retryDelaysSeconds[attempts - 1] ?? null;
      return { state: due_in === null ? 'refused' : 'retrying', due_in, counts: true };
    }
    case 'unknown':
      return { state: 'unknown', due_in: unconfirmedSeconds, counts: true };
  }
}

/** SQL condition: an unconfirmed email may be sent once more. */
const repeats = sql`(m.on_unknown = 'repeat' and m.status <> 'cancelled' and r.doubts = 0)`;

/**
 * Locks a mailing and stores the outcomes of attempts. In a cancelled mailing, no recipient is retried. `own` contains
 * the stored outcomes; a recipient whose lease expired earlier is `unknown` already and stays so. Returns null if the
 * mailing does not exist.
 */
export async function settleRecipients(
  db: Kysely<unknown>,
  site: EmailSiteKey & MailingKey,
  { settled, changes }: { settled: readonly SettledRecipient[]; changes: CountChanges },
): Promise<{ mailing: LockedMailing; own: SettledRecipient[] } | null> {
  const { site_id, mailing_id } = site;
  const outcomes = settled.map(({ id, attempts, lease_until, outcome }) => {
    const { reply_code, reply_status } = outcome;
    return { id, attempts, lease_until, reply_code, reply_status, ...nextOf({ outcome, attempts }) };
  });
  const { rows } = await sql<LockedMailing>`${preparedStatement}
    with m as materialized (select * from mailings where site_id = ${site_id} and id = ${mailing_id} for update),
    written as (
      update mailing_recipients r set state = n.state, lease_until = null, attempts = r.attempts - (not o.counts)::integer,
        reply_code = o.reply_code, reply_status = o.reply_status, doubts = r.doubts + (n.state = 'unknown')::integer,
        due_at = case when n.state <> 'skipped' and (n.state <> 'unknown' or ${repeats})
          then clock_timestamp() + o.due_in * interval '1 second' end,
        ended_at = case when n.state in ('accepted', 'refused', 'skipped') then clock_timestamp() end
      from m, json_to_recordset(${JSON.stringify(outcomes)}::json) as o(id text, attempts integer, lease_until timestamptz,
          state text, due_in float8, counts boolean, reply_code integer, reply_status text),
        lateral (select case when o.state = 'retrying' and m.status = 'cancelled' then 'skipped' else o.state end as state) n
      where r.site_id = ${site_id} and r.id = o.id and r.state = 'sending'
        and r.attempts = o.attempts and r.lease_until = o.lease_until
      returning r.id, r.state
    )
    select m.post_id, m.status, m.accepted, m.refused, m.bounced, m.complained, m.refused_by_policy, m.refused_before,
      exists (select from mailing_recipients r where ${isLost(site)}) as has_lost,
      (select coalesce(json_agg(written), '[]') from written) as written
    from m`.execute(db);
  const [mailing] = rows;
  if (!mailing) return null;
  for (const { state } of mailing.written) moved(changes, { from: 'sending', to: state });
  const states = new Map(mailing.written.map(({ id, state }) => [id, state]));
  const own = settled.filter(({ id }) => states.has(id));
  await judgeReaders(db, site, own.filter(({ id }) => states.get(id) === 'refused').flatMap(judgementOf));
  return { mailing, own };
}

/** SQL condition: the lease of a recipient has expired. Its process died and may have sent the email. */
const isLost = ({
  site_id,
  mailing_id,
}: MailingKey) => sql`r.site_id = ${site_id} and r.mailing_id = ${mailing_id}
  and r.state = 'sending' and (r.due_at <= clock_timestamp() or ${isLeaseInvalid})`;

/** Returns the verdict on a reader's address that follows from a final refusal, if any. */
function judgementOf({ outcome, email, subscriber_id, mailing_id }: SettledRecipient): Judgement[] {
  const what = verdictOf(outcome);
  return what ? [{ email, subscriber_id, mailing_id, what, at: new Date() }] : [];
}

/** Marks recipients with an expired lease as unknown. Returns their number. */
export async function markLostUnconfirmed(
  db: Kysely<unknown>,
  mailing: MailingKey,
  changes: CountChanges,
): Promise<number> {
  const { rows } = await sql`
    update mailing_recipients r set state = 'unknown', lease_until = null, doubts = r.doubts + 1,
      due_at = case when ${repeats} then clock_timestamp() + ${unconfirmedSeconds} * interval '1 second' end
    from mailings m where m.site_id = r.site_id and m.id = r.mailing_id and ${isLost(mailing)}
    returning r.id`.execute(db);
  if (rows.length > 0) moved(changes, { from: 'sending', to: 'unknown', count: rows.length });
  return rows.length;
}

const isLeaseInvalid = isInvalidLease(sql`r.lease_until`, leaseSeconds * 1_000);

/**
 * SQL query for the mailings of all sites with due work, either to prepare or to send. Few mailings are unfinished, so
 * it is cheap.
 */
export const dueMailings: RawBuilder<unknown> = sql`
  select site_id, id as mailing_id, status in ('scheduled', 'preparing') as is_to_prepare from mailings m
  where (status in ('scheduled', 'preparing', 'sending') or sending > 0)
    and case when status in ('scheduled', 'preparing') then send_at <= now() else exists (
      select from mailing_recipients r where r.site_id = m.site_id and r.mailing_id = m.id and r.due_at <= now()
        and (m.status = 'sending' or r.state = 'sending')
    ) or (sending > 0 and exists (
      select from mailing_recipients r where r.site_id = m.site_id and r.mailing_id = m.id and r.state = 'sending'
        and ${isLeaseInvalid}
    )) end
  order by send_at`;
