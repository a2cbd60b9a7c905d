import { sql } from 'kysely';
import type { Database } from '../../shared/db/config.ts';
import { readBounceAddress } from '../../shared/newsletter/bounce-address.ts';
import { type CopyReport, takeReports } from '../../shared/newsletter/feedback.ts';
import { findMailKey } from '../../shared/newsletter/mail-key.ts';
import { suppress } from '../../shared/newsletter/suppressions.ts';
import { readUnsubscribeToken } from '../../shared/newsletter/unsubscribe-token.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import type { MailedReport } from './report.ts';

export interface BounceDeps {
  database: Database;
  secrets: SecretBox;
}

/** The copy that an address was made for; null for one that no site has made. */
export async function findCopy(deps: BounceDeps, address: string) {
  const said = readBounceAddress(address);
  const mailKey = said && (await findMailKey(deps, said.siteId));
  if (!said || !mailKey || !said.isMarkedWith(mailKey)) return null;
  return { site: { site_id: said.siteId, mailKey }, recipient: said.recipientId };
}

type Copy = NonNullable<Awaited<ReturnType<typeof findCopy>>>;

const take = ({ database }: BounceDeps, { site }: Pick<Copy, 'site'>, report: Omit<CopyReport, 'at'>) =>
  database.em.fork().transactional(async (em) => {
    await takeReports(em.getKysely<unknown>(), site, [{ ...report, at: new Date() }]);
  });

/** Writes what a mail to the address of a copy reports. */
export async function takeFailure(deps: BounceDeps, address: string, report: MailedReport | null) {
  const copy = report?.kind === 'failure' ? await findCopy(deps, address) : null;
  if (!copy || report?.kind !== 'failure') return;
  await take(deps, copy, { recipient: copy.recipient, type: 'bounce', status: report.status });
}

/** Writes a complaint, by what its copy carries that only its site can have written. */
export async function takeComplaint(deps: BounceDeps, report: MailedReport | null) {
  if (report?.kind !== 'complaint') return;
  for (const sender of report.senders) {
    const copy = await findCopy(deps, sender);
    if (copy) return take(deps, copy, { recipient: copy.recipient, type: 'complaint' });
  }
  const said = readUnsubscribeToken(report.unsubscribeToken);
  const mailKey = said && (await findMailKey(deps, said.siteId));
  if (!said || !mailKey || !said.isSignedWith(mailKey)) return;
  const { siteId: site_id, subscriberId, emailHash: email_hash } = said;
  const db = deps.database.em.fork().getKysely<unknown>();
  const { rows } = await sql<{ email: string; copy: string | null }>`
    select s.email, (
      select r.id from mailing_recipients r
      where r.site_id = s.site_id and r.id = ${report.recipient} and r.subscriber_id = s.id
    ) as copy from subscribers s where s.site_id = ${site_id} and s.id = ${subscriberId}`.execute(db);
  const [reader] = rows;
  if (!reader) return suppress(db, site_id, [{ email_hash, reason: 'complained', created: new Date() }]);
  const { copy, email } = reader;
  await take(
    deps,
    { site: { site_id, mailKey } },
    { ...(copy ? { recipient: copy } : { email }), type: 'complaint' },
  );
}
