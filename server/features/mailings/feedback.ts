import { MailReports, MailReportsTaken } from '../../../shared/contract/features/mail-reports.ts';
import { toDate } from '../../../shared/contract/moments.ts';
import { type CopyReport, takeReports } from '../../../shared/newsletter/feedback.ts';
import { getMailKey } from '../../../shared/newsletter/mail-key.ts';
import { readMessageId } from '../../../shared/newsletter/message-id.ts';
import { command } from '../../access/route.ts';
import { inTransaction } from '../../kernel/transaction.ts';

/** What a provider tells of copies: its hooks are turned into this by a few lines of whoever uses it. */
export const feedback = command({
  path: '/v2/mailings/feedback',
  scope: 'write:newsletter',
  tag: 'mailings',
  summary: 'Report bounces and complaints',
})
  .input(MailReports)
  .output(MailReportsTaken)
  .mutation(async ({ ctx: { deps, siteId }, input: { items } }) => {
    const now = deps.clock.now();
    const reports = items.map(({ message_id, at, recipient, ...report }): CopyReport => {
      const copy = message_id === undefined ? recipient : (readMessageId(message_id) ?? '');
      return {
        ...report,
        recipient: copy,
        at: new Date(Math.min(toDate(at ?? now).getTime(), now.getTime())),
      };
    });
    const site = { site_id: siteId, mailKey: await getMailKey(deps, siteId) };
    const known = await inTransaction(deps, siteId, (em) => takeReports(em.getKysely(), site, reports));
    return { known, unknown: items.length - known };
  });
