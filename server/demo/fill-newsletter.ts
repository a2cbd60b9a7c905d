import { sql } from 'kysely';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { before, type DemoSite } from './backdate.ts';

/** A post that was mailed some days ago to those who had subscribed by then: nothing is sent, wherever the site is made. */
export async function fillNewsletter(site: DemoSite, post: { id: string; title: string }) {
  const { deps, siteId } = before(site, 8);
  const sent = deps.clock.now();
  const newId = () => newRecordId(sent, deps.randomBytes);
  const mailing = newId();
  const db = deps.database.em.fork().getKysely();
  const { rows: copies } = await sql<{ id: string; email: string }>`
    select id, email from subscribers where site_id = ${siteId} and created < ${sent}`.execute(db);
  for (const { id, email } of copies)
    await sql`
      insert into mailing_recipients
        (site_id, mailing_id, subscriber_id, id, email, body, state, attempts, doubts, reply_code, ended_at)
      values (${siteId}, ${mailing}, ${id}, ${newId()}, ${email}, 'open', 'accepted', 1, 0, 250, ${sent})`.execute(
      db,
    );
  await sql`
    insert into mailings
      (site_id, id, post_id, subject, preheader, audience, on_unknown, status, send_at, frozen_at, prepared_at, ended_at,
      recipients, expected, accepted, queued, sending, retrying, unknown, refused, skipped, bounced, complained,
      refused_by_policy, refused_before, created, updated)
    values (${siteId}, ${mailing}, ${post.id}, ${post.title}, '', '{}', 'repeat', 'sent', ${sent}, ${sent}, ${sent}, ${sent},
      ${copies.length}, ${copies.length}, ${copies.length}, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ${sent}, ${sent})`.execute(
    db,
  );
}
