import { ListReceived, ReceivedPage } from '../../../shared/contract/features/received-copies.ts';
import { newestPage } from '../../../shared/db/newest-page.ts';
import { staffProcedure } from '../../access/procedures.ts';

/** What was mailed to one reader, or will be, the newest first. Asked by mailing, of which a site has few. */
export const received = staffProcedure('newsletter')
  .input(ListReceived)
  .output(ReceivedPage)
  .query(({ ctx: { deps, siteId }, input: { subscriber_id, ...page } }) => {
    const { database } = deps;
    const rows = database.em
      .getKysely()
      .selectFrom('mailings as m')
      .innerJoin('mailing_recipients as r', (join) =>
        join.onRef('r.site_id', '=', 'm.site_id').onRef('r.mailing_id', '=', 'm.id'),
      )
      .select(['r.id', 'm.id as mailing_id', 'm.subject', 'r.state', 'r.body', 'r.attempts', 'r.doubts'])
      .select(['r.reply_code', 'r.reply_status', 'r.due_at', 'r.ended_at'])
      .where('m.site_id', '=', siteId)
      .where('r.subscriber_id', '=', subscriber_id);
    return newestPage({ database, siteId, rows }, { ...page, by: ['m.created', 'm.id'] });
  });
