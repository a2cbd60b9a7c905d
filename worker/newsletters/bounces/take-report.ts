import { sql } from 'kysely';
import type { Database } from '../../../shared/db/config.ts';
import { type RecipientReport, takeReports } from '../../../shared/newsletter/feedback.ts';
import type { MailKeyStore } from '../../../shared/newsletter/mail-key.ts';
import { openBounceAddress, openUnsubscribeToken } from '../../../shared/newsletter/mail-tokens.ts';
import { suppress } from '../../../shared/newsletter/suppressions.ts';
import type { MailedReport } from './report.ts';

export interface BounceDeps extends MailKeyStore {
  database: Database;
}

const take = (
  { database }: BounceDeps,
  { siteId: site_id, mailKey }: { siteId: string; mailKey: string },
  report: Omit<RecipientReport, 'at'>,
) =>
  database.em.fork().transactional(async (em) => {
    await takeReports(em.getKysely<unknown>(), { site_id, mailKey }, [{ ...report, at: new Date() }]);
  });

/** Stores a bounce report that arrived at a bounce address. Other reports are ignored. */
export async function takeFailure(deps: BounceDeps, address: string, report: MailedReport | null) {
  if (report?.kind !== 'failure') return;
  const recipient = await openBounceAddress(deps, address);
  if (recipient)
    await take(deps, recipient, { recipient: recipient.recipientId, type: 'bounce', status: report.status });
}

/**
 * Stores a complaint. It is trusted only if it quotes a bounce address or an unsubscribe token, which only the site can
 * create.
 */
export async function takeComplaint(deps: BounceDeps, report: MailedReport | null) {
  if (report?.kind !== 'complaint') return;
  for (const sender of report.senders) {
    const recipient = await openBounceAddress(deps, sender);
    if (recipient) return take(deps, recipient, { recipient: recipient.recipientId, type: 'complaint' });
  }
  const said = await openUnsubscribeToken(deps, report.unsubscribeToken);
  if (!said) return;
  const { siteId: site_id, subscriberId, emailHash: email_hash } = said;
  const db = deps.database.em.fork().getKysely<unknown>();
  const { rows } = await sql<{ email: string; recipient: string | null }>`
    select s.email, (
      select r.id from mailing_recipients r
      where r.site_id = s.site_id and r.id = ${report.recipient} and r.subscriber_id = s.id
    ) as recipient from subscribers s where s.site_id = ${site_id} and s.id = ${subscriberId}`.execute(db);
  const [reader] = rows;
  if (!reader) return suppress(db, site_id, [{ email_hash, reason: 'complained', created: new Date() }]);
  const { recipient, email } = reader;
  await take(deps, said, { ...(recipient ? { recipient } : { email }), type: 'complaint' });
}
