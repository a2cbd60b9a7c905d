import { type Kysely, sql } from 'kysely';
import { retryDelaysSeconds } from '../../shared/contract/limits.ts';
import type { MailingStatus, RecipientState } from '../../shared/contract/mailings.ts';
import { type CountChanges, moved } from '../../shared/db/mailing-counts.ts';
import { type Judgement, judgeReaders, type LetterSiteKey } from '../../shared/newsletter/judge-readers.ts';
import { verdictOf } from '../../shared/newsletter/reply.ts';
import type { ClaimedCopy, MailingKey } from './claim.ts';
import { isStrayLease } from './due.ts';
import type { Outcome } from './relay.ts';

/** A claim, and what became of it. */
export interface Settled extends ClaimedCopy {
  outcome: Outcome;
}

/** How long a copy waits of which nobody knows what became, in seconds: a server that took it may say so to somebody by then. */
const doubtSeconds = 600;

/** How long one waits that nothing was tried with, in seconds. */
const awaySeconds = 60;

export interface Doubtful {
  on_unknown: 'repeat' | 'leave';
  status: MailingStatus;
}

/** What a copy is after an attempt: `due_in` seconds until the next one, null where there is none. */
interface Next {
  state: RecipientState;
  due_in: number | null;
  /** Whether the attempt counts. */
  counts: boolean;
}

/** Pure: what becomes of a copy. The last attempt that fails, fails for good. */
function nextOf({ outcome, attempts }: Pick<Settled, 'outcome' | 'attempts'>): Next {
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
      return { state: 'unknown', due_in: doubtSeconds, counts: true };
  }
}

/** SQL: a copy of unknown fate is sent once more, unless the mailing leaves it at that, or is over. */
const repeats = ({ on_unknown, status }: Doubtful) =>
  on_unknown === 'repeat' && status !== 'cancelled' ? sql`r.doubts = 0` : sql`false`;

/** Of a mailing that was cancelled meanwhile, nothing is tried again. */
const unlessCancelled = (next: Next, { status }: Doubtful): Next =>
  next.state === 'retrying' && status === 'cancelled' ? { ...next, state: 'skipped', due_in: null } : next;

/**
 * Writes what became of attempts, and says which of them were this process's still: one whose lease ran out meanwhile is in doubt already,
 * and stays so.
 */
export async function settleCopies(
  db: Kysely<unknown>,
  mailing: Doubtful & LetterSiteKey,
  { settled, changes }: { settled: readonly Settled[]; changes: CountChanges },
): Promise<Settled[]> {
  if (settled.length === 0) return [];
  const rows = settled.map(({ id, attempts, lease_until, outcome }) => {
    const { state, due_in, counts } = unlessCancelled(nextOf({ outcome, attempts }), mailing);
    const { reply_code, reply_status } = outcome;
    return { id, attempts, lease_until, state, due_in, counts, reply_code, reply_status };
  });
  const { rows: written } = await sql<{ id: string; state: RecipientState }>`
    update mailing_recipients r set state = o.state, lease_until = null, attempts = r.attempts - (not o.counts)::integer,
      reply_code = o.reply_code, reply_status = o.reply_status,
      doubts = r.doubts + (o.state = 'unknown')::integer,
      due_at = case when o.state <> 'unknown' or ${repeats(mailing)}
        then clock_timestamp() + o.due_in * interval '1 second' end,
      ended_at = case when o.state in ('accepted', 'refused', 'skipped') then clock_timestamp() end
    from json_to_recordset(${JSON.stringify(rows)}::json) as o(id text, attempts integer, lease_until timestamptz,
      state text, due_in float8, counts boolean, reply_code integer, reply_status text)
    where r.site_id = ${mailing.site_id} and r.id = o.id and r.state = 'sending'
      and r.attempts = o.attempts and r.lease_until = o.lease_until
    returning r.id, r.state`.execute(db);
  for (const { state } of written) moved(changes, { from: 'sending', to: state });
  const states = new Map(written.map(({ id, state }) => [id, state]));
  const own = settled.filter(({ id }) => states.has(id));
  await judgeReaders(db, mailing, own.filter(({ id }) => states.get(id) === 'refused').flatMap(judgementOf));
  return own;
}

/** What a copy that is refused for good says of its reader. */
function judgementOf({ outcome, email, subscriber_id, mailing_id }: Settled): Judgement[] {
  const what = verdictOf(outcome);
  return what ? [{ email, subscriber_id, mailing_id, what, at: new Date() }] : [];
}

/** Copies whose lease ran out: their process died, and may have sent them. Says how many. */
export async function doubtLost(
  db: Kysely<unknown>,
  mailing: Doubtful & MailingKey,
  changes: CountChanges,
): Promise<number> {
  const { rows } = await sql`
    update mailing_recipients r set state = 'unknown', lease_until = null, doubts = r.doubts + 1,
      due_at = case when ${repeats(mailing)} then clock_timestamp() + ${doubtSeconds} * interval '1 second' end
    where r.site_id = ${mailing.site_id} and r.mailing_id = ${mailing.mailing_id} and r.state = 'sending'
      and (r.due_at <= clock_timestamp() or ${isStrayLease})
    returning r.id`.execute(db);
  if (rows.length > 0) moved(changes, { from: 'sending', to: 'unknown', copies: rows.length });
  return rows.length;
}
