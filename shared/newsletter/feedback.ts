import { type Kysely, sql } from 'kysely';
import type { MailingStatus, RecipientState } from '../contract/features/mailings.ts';
import { type CountChanges, type MailingKey, moved, recipientsOf } from '../db/mailing-counts.ts';
import {
  type EmailSiteKey,
  heldAgainstMailing,
  isHeldAgainstMailing,
  type Judgement,
  judgeReaders,
  verdictOf,
} from './end-failing-subscriptions.ts';
import { writeMailing } from './write-mailing.ts';

/** Report about one email after a server accepted it. */
export interface RecipientReport {
  /** ID of the recipient row. If missing, the report concerns the latest email to the address in `email`. */
  recipient?: string | undefined;
  email?: string | undefined;
  type: 'bounce' | 'complaint';
  /** True if a bounce without a status is permanent, which is the default. */
  permanent?: boolean | undefined;
  status?: string | undefined;
  at: Date;
}

/** Report with the reader and the recipient row that it concerns. */
interface ResolvedReport {
  report: RecipientReport;
  email: string;
  subscriber_id: string | null;
  /** ID of the recipient row; null for a reader who received no email. */
  id: string | null;
  mailing_id: string | null;
}

/**
 * States in which a reader may have the email. Reports about other states are repetitions. A report can arrive before
 * our server connection confirms that the email was accepted.
 */
const underWay: readonly RecipientState[] = ['sending', 'retrying', 'unknown', 'accepted'];

/** States in which an email address is matched to a recipient, including those that were reported before. */
const reportable: readonly RecipientState[] = [...underWay, 'bounced', 'complained'];

/**
 * Stores reports about a site's emails, in the caller's transaction. The recipient becomes bounced or complained, the
 * counts of its mailing change, and the mailing may pause. The reader is judged. A repeated report changes nothing.
 * Returns the number of reports that match a recipient or subscriber of the site.
 */
export async function takeReports(
  db: Kysely<unknown>,
  site: EmailSiteKey,
  reports: readonly RecipientReport[],
): Promise<number> {
  const found = await resolve(db, site, reports);
  // A complaint overrides a bounce of the same email.
  const byRecipient = new Map<string, ResolvedReport>();
  for (const one of found.toSorted((a, b) => a.report.type.localeCompare(b.report.type)))
    if (one.id) byRecipient.set(one.id, one);
  const before = await writeRecipients(db, site, byRecipient);
  const judgements = found.flatMap(({ id, report, ...reader }): Judgement[] => {
    const { type, at } = report;
    if (type === 'complaint') return [{ ...reader, what: 'complaint', at }];
    const state = id === null ? undefined : before.get(id);
    const isTold = state !== undefined && !underWay.includes(state);
    const what = isTold ? null : verdictOfBounce(report);
    return what ? [{ ...reader, what, at }] : [];
  });
  await judgeReaders(db, site, judgements);
  return found.length;
}

const verdictOfBounce = ({ status, permanent = true }: RecipientReport) => {
  if (status === undefined) return permanent ? 'gone' : 'delayed';
  return verdictOf({ reply_code: null, reply_status: status });
};

/** Finds the recipients and readers of reports. Reports that match none are missing. */
async function resolve(
  db: Kysely<unknown>,
  { site_id }: EmailSiteKey,
  reports: readonly RecipientReport[],
): Promise<ResolvedReport[]> {
  const requested = reports.map(({ recipient, email, at }, n) => ({ n, recipient, email, at }));
  const { rows } = await sql<Omit<ResolvedReport, 'report'> & { n: number }>`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(requested)}::json) as a(n integer, recipient text, email text, at timestamptz)
    )
    select a.n, r.email, r.subscriber_id, r.id, r.mailing_id from asked a
    join mailing_recipients r on r.site_id = ${site_id} and r.id = a.recipient
    union all
    select a.n, s.email, s.id, last.id, last.mailing_id from asked a
    join subscribers s on s.site_id = ${site_id} and s.email = a.email
    left join lateral (
      select r.id, r.mailing_id from mailings m
      join mailing_recipients r on r.site_id = m.site_id and r.mailing_id = m.id and r.subscriber_id = s.id
      where m.site_id = ${site_id} and m.frozen_at <= a.at and r.state = any(${reportable}::text[])
      order by m.frozen_at desc limit 1
    ) last on true`.execute(db);
  return rows.flatMap(({ n, ...recipient }) => {
    const report = reports[n];
    return report ? [{ ...recipient, report }] : [];
  });
}

/**
 * Thresholds for policy bounces: `min` of them, and more than one in `oneIn` emails, pause a mailing. After it is
 * resumed, it pauses again each time their number has doubled.
 */
const policyBrake = { min: 10, oneIn: 20 } as const;

/**
 * Returns true if policy bounces must pause the mailing. Some servers accept every email at first and refuse it by a
 * bounce later. The brake for policy refusals in a row never applies to them.
 */
async function isRefusedByPolicy(
  db: Kysely<unknown>,
  mailing: MailingKey,
  { ended, newlyHeld }: { ended: number; newlyHeld: number },
): Promise<boolean> {
  if (newlyHeld === 0) return false;
  const { rows } = await sql<{ held: number }>`
    select count(*)::integer as held from mailing_recipients
    where ${recipientsOf(mailing)} and state = 'bounced' and reply_status ~ ${heldAgainstMailing.source}`.execute(
    db,
  );
  const held = rows[0]?.held ?? 0;
  // Only a new doubling counts, because the person who resumed the mailing knew of the earlier bounces.
  const doublings = (recipients: number) => Math.max(-1, Math.floor(Math.log2(recipients / policyBrake.min)));
  return held * policyBrake.oneIn > ended && doublings(held) > doublings(held - newlyHeld);
}

/** Mailing before its recipients are updated. `ended` is the number of its emails with an outcome. */
interface MailingBefore extends MailingKey {
  status: MailingStatus;
  ended: number;
}

/** Recipient before its update, with its next state. */
interface ReportedRecipient {
  id: string;
  mailing_id: string;
  state: RecipientState;
  next: 'bounced' | 'complained';
  reply_status: string | null;
}

/**
 * Updates recipients and the counts of their mailings, which are locked in the same way as by sending rounds. Returns
 * the previous state of each recipient.
 */
async function writeRecipients(
  db: Kysely<unknown>,
  { site_id }: EmailSiteKey,
  byRecipient: ReadonlyMap<string, ResolvedReport>,
): Promise<ReadonlyMap<string, RecipientState>> {
  if (byRecipient.size === 0) return new Map();
  const mailings = [...new Set([...byRecipient.values()].map(({ mailing_id }) => mailing_id))];
  const { rows: locked } = await sql<MailingBefore>`
    select site_id, id as mailing_id, status, accepted + refused + bounced + complained as ended
    from mailings where site_id = ${site_id} and id = any(${mailings}::text[]) order by id for update`.execute(
    db,
  );
  const recipients = [...byRecipient].map(([id, { report }]) => ({ id, ...changeOf(report) }));
  const { rows } = await sql<ReportedRecipient>`
    with told as (
      select r.mailing_id, r.subscriber_id, r.id, r.state, c.next, c.reply_status
      from mailing_recipients r
      join json_to_recordset(${JSON.stringify(recipients)}::json) as c(id text, next text, reply_status text) on c.id = r.id
      where r.site_id = ${site_id}
    ), written as (
      update mailing_recipients r set state = told.next, reply_code = null, reply_status = told.reply_status,
        due_at = null, lease_until = null, ended_at = coalesce(r.ended_at, clock_timestamp())
      from told
      where r.site_id = ${site_id} and r.mailing_id = told.mailing_id and r.subscriber_id = told.subscriber_id
        and told.state = any(${underWay}::text[])
    )
    select id, mailing_id, state, next, reply_status from told`.execute(db);
  const written = Map.groupBy(
    rows.filter(({ state }) => underWay.includes(state)),
    ({ mailing_id }) => mailing_id,
  );
  for (const { status, ended, ...mailing } of locked) {
    const reported = written.get(mailing.mailing_id) ?? [];
    if (reported.length === 0) continue;
    const changes: CountChanges = {};
    for (const { state, next } of reported) moved(changes, { from: state, to: next });
    const newlyHeld = reported.filter(isHeld).length;
    const stops = status === 'sending' && (await isRefusedByPolicy(db, mailing, { ended, newlyHeld }));
    await writeMailing(db, mailing, { changes, pause: stops ? 'refused_by_policy' : null });
  }
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Returns true for a bounce because of the email's content or sender. */
const isHeld = ({ next, reply_status }: ReportedRecipient) =>
  next === 'bounced' && isHeldAgainstMailing({ reply_code: null, reply_status });

/**
 * Returns the state and the enhanced status code (RFC 3463) that a report gives a recipient. Every bounce results in
 * `bounced`, also a temporary one. Without a reported code it is `5.0.0`, or `4.0.0` if temporary. A complaint has none
 * (null).
 */
function changeOf({ type, status, permanent = true }: RecipientReport) {
  if (type === 'complaint') return { next: 'complained', reply_status: null };
  return { next: 'bounced', reply_status: status ?? (permanent ? '5.0.0' : '4.0.0') };
}
