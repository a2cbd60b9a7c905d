import { sql } from 'kysely';
import { CreateOffer } from '../../shared/contract/features/offers.ts';
import { newRecordId } from '../../shared/contract/record-id.ts';
import { MailingEntity } from '../../shared/db/entities/mailings.ts';
import type { Mail } from '../../shared/mail/mailer.ts';
import { requestCode, signIn } from '../audience/members/sign-in.ts';
import { updateMember } from '../audience/members/store.ts';
import { noRecipients } from '../audience/newsletters/create-mailing.ts';
import { subscribe } from '../audience/subscribers/submissions.ts';
import { completeEnrollment, enroll } from '../learning/enrollments.ts';
import { createOffer } from '../selling/offers.ts';
import { recordManually } from '../selling/purchases.ts';
import { before, type DemoSite, type Ids } from './backdate.ts';
import { readAudience } from './example.ts';

export async function fillAudience(site: DemoSite, ids: Ids) {
  const { siteId } = site;
  const { enrollments, members, purchases, subscribers } = readAudience();
  for (const { days_ago, tiers, blocked, ...who } of members) {
    const then = before(site, days_ago);
    const id = await signUp(then, who);
    await updateMember(
      { deps: then.deps, siteId },
      {
        id,
        access_tiers: tiers,
        status: blocked ? 'blocked' : 'active',
      },
    );
  }
  for (const { days_ago, title, ...purchase } of purchases) {
    const content_id = ids.get(`${purchase.content_type}/${title}`) ?? '';
    await recordManually(before(site, days_ago).deps, siteId, { ...purchase, content_id });
  }
  for (const { days_ago, email, course, completed_days_ago } of enrollments) {
    const course_id = ids.get(`courses/${course}`) ?? '';
    const { id } = await enroll(before(site, days_ago).deps, siteId, { course_id, buyer_email: email });
    if (completed_days_ago) await completeEnrollment(before(site, completed_days_ago).deps, siteId, id);
  }
  for (const { days_ago, ...subscriber } of subscribers)
    await subscribe(before(site, days_ago).deps, siteId, subscriber);
}

/** Creates the offers of the example: a course, and a membership that opens the tiers `paid` and `members`. */
export async function fillOffers(site: DemoSite, ids: Ids) {
  for (const { days_ago, course, ...offer } of readAudience().offers) {
    const record = course && { collection: 'courses', record_id: ids.get(`courses/${course}`) };
    await createOffer(before(site, days_ago), CreateOffer.parse({ ...offer, ...record }));
  }
}

/** Signs a member in for the first time, with the code of the email, which is not sent. */
async function signUp({ deps, siteId }: DemoSite, { email, name }: { email: string; name: string }) {
  let code = '';
  const mailer = {
    ...deps.mailer,
    delivers: true,
    async send({ text }: Mail) {
      code = /\d{6}/.exec(text)?.[0] ?? '';
    },
  };
  await requestCode({ ...deps, mailer }, { siteId, email }, name);
  const { session } = (await signIn(deps, { siteId, email }, code)) ?? {};
  if (!session) throw new Error(`example member ${email} cannot sign in`);
  return session.member.id;
}

/**
 * Creates a post's mailing as it would look some days after it was sent to the subscribers of that time. Nothing is
 * sent. Throws an `Error` if the example has no such post.
 */
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
  const count = subscribers.length;
  await em.insert(MailingEntity, {
    ...{ ...noRecipients, site_id: siteId, id: mailing, post_id, subject: post, preheader: '', audience: {} },
    ...{ on_unknown: 'repeat', status: 'sent', refused_by_policy: 0, refused_before: 0 },
    ...{ recipients: count, expected: count, accepted: count },
    ...{ send_at: sent, frozen_at: sent, prepared_at: sent, ended_at: sent, created: sent, updated: sent },
  });
}
