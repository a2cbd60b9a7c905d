import { type Kysely, sql } from 'kysely';
import type { MailingStatus, RecipientState } from '../contract/features/mailings.ts';
import { type CountChanges, copiesOf, type MailingKey, moved } from '../db/mailing-counts.ts';
import {
  heldAgainstMailing,
  isHeldAgainstMailing,
  type Judgement,
  judgeReaders,
  type LetterSiteKey,
  verdictOf,
} from './judge-readers.ts';
import { writeMailing } from './write-mailing.ts';

/** What came back of one copy after a server had taken it. */
export interface CopyReport {
  /** Id of the copy; else the last one that the address got, or may have. */
  recipient?: string | undefined;
  email?: string | undefined;
  type: 'bounce' | 'complaint';
  /** Whether a bounce without a status is for good. */
  permanent?: boolean | undefined;
  status?: string | undefined;
  at: Date;
}

/** A report, with the reader and the copy that it is about. */
interface Resolved {
  report: CopyReport;
  email: string;
  subscriber_id: string | null;
  /** Of the copy; null for a reader who got none. */
  id: string | null;
  mailing_id: string | null;
}

/**
 * States of copies that somebody may have: what comes back of others was told before. Of one that is not known to be taken, what comes
 * back tells that it was, often before the server has said so to us.
 */
const underWay: readonly RecipientState[] = ['sending', 'retrying', 'unknown', 'accepted'];

/** Those, and what was told of before. */
const reportable: readonly RecipientState[] = [...underWay, 'bounced', 'complained'];

/**
 * Writes what came back of a site's copies, in a transaction of the caller: a copy is bounced or complained of, its mailing
 * counts it so and may stop, and its reader is judged. A report that comes again changes nothing. Says how many were of copies or readers of the site.
 */
export async function takeReports(
  db: Kysely<unknown>,
  site: LetterSiteKey,
  reports: readonly CopyReport[],
): Promise<number> {
  const found = await resolve(db, site, reports);
  // A complaint about a copy counts more than that it came back.
  const byCopy = new Map<string, Resolved>();
  for (const one of found.toSorted((a, b) => a.report.type.localeCompare(b.report.type)))
    if (one.id) byCopy.set(one.id, one);
  const before = await writeCopies(db, site, byCopy);
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

const verdictOfBounce = ({ status, permanent = true }: CopyReport) => {
  if (status === undefined) return permanent ? 'gone' : 'delayed';
  return verdictOf({ reply_code: null, reply_status: status });
};

/** Reports of the site's copies and readers. */
async function resolve(
  db: Kysely<unknown>,
  { site_id }: LetterSiteKey,
  reports: readonly CopyReport[],
): Promise<Resolved[]> {
  const asked = reports.map(({ recipient, email, at }, n) => ({ n, recipient, email, at }));
  const { rows } = await sql<Omit<Resolved, 'report'> & { n: number }>`
    with asked as (
      select * from json_to_recordset(${JSON.stringify(asked)}::json) as a(n integer, recipient text, email text, at timestamptz)
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
  return rows.flatMap(({ n, ...copy }) => {
    const report = reports[n];
    return report ? [{ ...copy, report }] : [];
  });
}

/** So many that came back for reasons of policy stop a mailing where they are more than one in `oneIn`, and again each time they have doubled. */
const policyBrake = { least: 10, oneIn: 20 } as const;

/** Whether so many came back for what a mail is: a server that takes everything at first says only later what it refuses, so that none are refused in a row. */
async function isRefusedByPolicy(
  db: Kysely<unknown>,
  mailing: MailingKey,
  { ended, newlyHeld }: { ended: number; newlyHeld: number },
): Promise<boolean> {
  if (newlyHeld === 0) return false;
  const { rows } = await sql<{ held: number }>`
    select count(*)::integer as held from mailing_recipients
    where ${copiesOf(mailing)} and state = 'bounced' and reply_status ~ ${heldAgainstMailing.source}`.execute(
    db,
  );
  const held = rows[0]?.held ?? 0;
  // Whoever let it go on knew of those before.
  const doublings = (copies: number) => Math.max(-1, Math.floor(Math.log2(copies / policyBrake.least)));
  return held * policyBrake.oneIn > ended && doublings(held) > doublings(held - newlyHeld);
}

/** A mailing before its copies are written; `ended` is how many of them had ended. */
interface MailingBefore extends MailingKey {
  status: MailingStatus;
  ended: number;
}

/** A copy before it is written, and what it becomes. */
interface ReportedCopy {
  id: string;
  mailing_id: string;
  state: RecipientState;
  next: 'bounced' | 'complained';
  reply_status: string | null;
}

/** Writes copies with the counts of their mailings, which are locked as when they are sent. Says what each was before. */
async function writeCopies(
  db: Kysely<unknown>,
  { site_id }: LetterSiteKey,
  byCopy: ReadonlyMap<string, Resolved>,
): Promise<ReadonlyMap<string, RecipientState>> {
  if (byCopy.size === 0) return new Map();
  const mailings = [...new Set([...byCopy.values()].map(({ mailing_id }) => mailing_id))];
  const { rows: locked } = await sql<MailingBefore>`
    select site_id, id as mailing_id, status, accepted + refused + bounced + complained as ended
    from mailings where site_id = ${site_id} and id = any(${mailings}::text[]) order by id for update`.execute(
    db,
  );
  const copies = [...byCopy].map(([id, { report }]) => ({ id, ...changeOf(report) }));
  const { rows } = await sql<ReportedCopy>`
    with told as (
      select r.mailing_id, r.subscriber_id, r.id, r.state, c.next, c.reply_status
      from mailing_recipients r
      join json_to_recordset(${JSON.stringify(copies)}::json) as c(id text, next text, reply_status text) on c.id = r.id
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

/** Whether it came back for what the mail is, or who sends it. */
const isHeld = ({ next, reply_status }: ReportedCopy) =>
  next === 'bounced' && isHeldAgainstMailing({ reply_code: null, reply_status });

/** What a copy is then, and what is kept of the report. */
function changeOf({ type, status, permanent = true }: CopyReport) {
  if (type === 'complaint') return { next: 'complained', reply_status: null };
  return { next: 'bounced', reply_status: status ?? (permanent ? '5.0.0' : '4.0.0') };
}
