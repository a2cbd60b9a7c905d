import { type Kysely, sql } from 'kysely';
import type { RecipientState } from '../contract/mailings.ts';
import { type CountChanges, countsAfter, moved } from '../db/mailing-counts.ts';
import { type Judgement, judgeReaders, type LetterSiteKey } from './judge-readers.ts';
import { verdictOf } from './reply.ts';

/** What came back of one copy after a server had taken it. */
export interface CopyReport {
  /** Id of the copy; else the last one that the address got. */
  recipient?: string | undefined;
  email?: string | undefined;
  type: 'bounce' | 'complaint';
  /** Whether a bounce without a status is for good. */
  permanent?: boolean | undefined;
  status?: string | undefined;
  at: Date;
}

interface Resolved {
  /** Which of the reports. */
  n: number;
  email: string;
  subscriber_id: string | null;
  id: string | null;
  mailing_id: string | null;
}

/** States of copies that somebody may have: what comes back of others was told before. */
const underWay: readonly RecipientState[] = ['sending', 'retrying', 'unknown', 'accepted'];

/**
 * Writes what came back of a site's copies, in a transaction of the caller: an accepted copy is bounced or complained of, its mailing
 * counts it so, and its reader is judged. A report that comes again changes nothing. Says how many were of copies or readers of the site.
 */
export async function takeReports(
  db: Kysely<unknown>,
  site: LetterSiteKey,
  reports: readonly CopyReport[],
): Promise<number> {
  const found = await resolve(db, site, reports);
  const told = found.flatMap(({ n, ...copy }) => {
    const report = reports[n];
    return report ? [{ ...copy, report }] : [];
  });
  // A complaint about a copy counts more than that it came back.
  const byCopy = new Map<string, Told>();
  for (const one of told.toSorted((a, b) => a.report.type.localeCompare(b.report.type)))
    if (one.id) byCopy.set(one.id, one);
  const before = await writeCopies(db, site, byCopy);
  const judgements = told.flatMap(({ id, report, ...reader }): Judgement[] => {
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

/** The copies and readers that reports are about. */
async function resolve(db: Kysely<unknown>, { site_id }: LetterSiteKey, reports: readonly CopyReport[]) {
  const asked = reports.map(({ recipient, email, at }, n) => ({ n, recipient, email, at }));
  const { rows } = await sql<Resolved>`
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
      where m.site_id = ${site_id} and m.frozen_at <= a.at and r.state in ('accepted', 'bounced', 'complained')
      order by m.frozen_at desc limit 1
    ) last on true`.execute(db);
  return rows;
}

interface Told extends Omit<Resolved, 'n'> {
  report: CopyReport;
}

/** Writes copies with the counts of their mailings, which are locked as when they are sent. Says what each was before. */
async function writeCopies(
  db: Kysely<unknown>,
  { site_id }: LetterSiteKey,
  byCopy: ReadonlyMap<string, Told>,
): Promise<ReadonlyMap<string, RecipientState>> {
  if (byCopy.size === 0) return new Map();
  const mailings = [...new Set([...byCopy.values()].map(({ mailing_id }) => mailing_id))];
  await sql`
    select id from mailings where site_id = ${site_id} and id = any(${mailings}::text[]) order by id for update`.execute(
    db,
  );
  const copies = [...byCopy].map(([id, { report }]) => ({ id, ...changeOf(report) }));
  const { rows } = await sql<{ id: string; mailing_id: string; state: RecipientState; next: RecipientState }>`
    with told as (
      select r.mailing_id, r.subscriber_id, r.id, r.state, c.next, c.reply_status
      from mailing_recipients r
      join json_to_recordset(${JSON.stringify(copies)}::json) as c(id text, next text, reply_status text) on c.id = r.id
      where r.site_id = ${site_id}
    ), written as (
      update mailing_recipients r set state = told.next, reply_code = null, reply_status = told.reply_status from told
      where r.site_id = ${site_id} and r.mailing_id = told.mailing_id and r.subscriber_id = told.subscriber_id and told.state = 'accepted'
    )
    select id, mailing_id, state, next from told`.execute(db);
  const changes = new Map<string, CountChanges>();
  for (const { mailing_id, state, next } of rows.filter(({ state: was }) => was === 'accepted')) {
    const ofMailing = changes.get(mailing_id) ?? {};
    moved(ofMailing, { from: state, to: next });
    changes.set(mailing_id, ofMailing);
  }
  for (const [id, ofMailing] of changes)
    await sql`
      update mailings set ${countsAfter(ofMailing)}, updated = clock_timestamp() where site_id = ${site_id} and id = ${id}`.execute(
      db,
    );
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** What an accepted copy is then, and what is kept of the report. */
function changeOf({ type, status, permanent = true }: CopyReport) {
  if (type === 'complaint') return { next: 'complained', reply_status: null };
  return { next: 'bounced', reply_status: status ?? (permanent ? '5.0.0' : '4.0.0') };
}
