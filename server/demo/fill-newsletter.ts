import { sql } from 'kysely';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { MailingEntity } from '../../shared/db/entities/mailings.ts';
import { noCopies } from '../features/mailings/create.ts';
import { before, type DemoSite, type Ids } from './backdate.ts';
import { readAudience } from './example.ts';

/** A post that was mailed some days ago to those who had subscribed by then: nothing is sent, wherever the site is made. */
export async function fillNewsletter(site: DemoSite, ids: Ids) {
  const { days_ago, post } = readAudience().newsletter;
  const post_id = ids.get(`posts/${post}`);
  if (!post_id) throw new Error(`the example site has no post ${post}`);
  const { deps, siteId } = before(site, days_ago);
  const sent = deps.clock.now();
  const newId = () => newRecordId(sent, deps.randomBytes);
  const mailing = newId();
  const em = deps.database.em.fork();
  const { rows: subscribers } = await sql<{ id: string; email: string }>`
    select id, email from subscribers where site_id = ${siteId} and created < ${sent}`.execute(
    em.getKysely(),
  );
  for (const { id, email } of subscribers)
    await sql`
      insert into mailing_recipients
        (site_id, mailing_id, subscriber_id, id, email, body, state, attempts, doubts, reply_code, ended_at)
      values (${siteId}, ${mailing}, ${id}, ${newId()}, ${email}, 'open', 'accepted', 1, 0, 250, ${sent})`.execute(
      em.getKysely(),
    );
  const copies = subscribers.length;
  await em.insert(MailingEntity, {
    ...{ ...noCopies, site_id: siteId, id: mailing, post_id, subject: post, preheader: '', audience: {} },
    ...{ on_unknown: 'repeat', status: 'sent', refused_by_policy: 0, refused_before: 0 },
    ...{ recipients: copies, expected: copies, accepted: copies },
    ...{ send_at: sent, frozen_at: sent, prepared_at: sent, ended_at: sent, created: sent, updated: sent },
  });
}
