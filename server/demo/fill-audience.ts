import type { Mail } from '../../shared/mail/mailer.ts';
import { completeEnrollment, enroll } from '../features/audience/enrollments.ts';
import { listTestimonials } from '../features/audience/lists.ts';
import { recordPurchase, submitTestimonial, subscribe } from '../features/audience/submissions.ts';
import { updateTestimonial } from '../features/audience/testimonials.ts';
import { requestCode, signIn } from '../features/members/sign-in.ts';
import { updateMember } from '../features/members/store.ts';
import { enrollments, members, purchases, subscribers, testimonials } from './audience.ts';
import { before, type DemoSite, type Ids } from './backdate.ts';

/** Members, buyers, learners, subscribers and what they say. */
export async function fillAudience(site: DemoSite, ids: Ids) {
  const { deps, siteId } = site;
  for (const { daysAgo, tiers, blocked, ...who } of members) {
    const then = before(site, daysAgo);
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
  for (const { daysAgo, title, ...purchase } of purchases) {
    const content_id = ids.get(`${purchase.content_type}/${title}`) ?? '';
    await recordPurchase(before(site, daysAgo).deps, siteId, { ...purchase, content_id });
  }
  for (const { daysAgo, email, course, completedDaysAgo } of enrollments) {
    const course_id = ids.get(`courses/${course}`) ?? '';
    const { id } = await enroll(before(site, daysAgo).deps, siteId, { course_id, buyer_email: email });
    if (completedDaysAgo) await completeEnrollment(before(site, completedDaysAgo).deps, siteId, id);
  }
  for (const subscriber of subscribers) await subscribe(deps, siteId, subscriber);
  for (const testimonial of testimonials) await submitTestimonial(deps, siteId, testimonial);
  for (const { id } of (await listTestimonials(deps, siteId, { page: 1, per_page: 50 })).items)
    await updateTestimonial(deps, siteId, { id, approved: true });
}

/** Signs a member in for the first time: the code goes from the mail straight to the form. */
async function signUp({ deps, siteId }: DemoSite, { email, name }: { email: string; name: string }) {
  let code = '';
  const mailer = {
    async send({ text }: Mail) {
      code = /\d{6}/.exec(text)?.[0] ?? '';
    },
  };
  await requestCode({ ...deps, mailer }, { siteId, email }, name);
  const { session } = (await signIn(deps, { siteId, email }, code)) ?? {};
  if (!session) throw new Error(`${email} could not sign in`);
  return session.member.id;
}
