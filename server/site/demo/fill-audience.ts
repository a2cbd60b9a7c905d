import { course } from '../../../shared/contract/resources/course.ts';
import { lesson } from '../../../shared/contract/resources/lesson.ts';
import { module } from '../../../shared/contract/resources/module.ts';
import { post } from '../../../shared/contract/resources/post.ts';
import { insertViews } from '../../analytics/record.ts';
import { completeEnrollment, enroll } from '../../audience/enrollments.ts';
import { recordPurchase, submitTestimonial, subscribe } from '../../audience/inputs.ts';
import { collectionOf } from '../../content/collection.ts';
import { createRecord, deleteRecord, updateRecord } from '../../content/writes.ts';
import type { OperatorDeps } from '../../deps.ts';
import { ensureMember, updateMember } from '../../members/store.ts';
import { enrollments, members, purchases, subscribers, testimonials } from './audience.ts';
import { curriculum } from './curriculum.ts';
import { at } from './dated.ts';
import { exampleViews } from './views.ts';

/** Finds the id of an example record by its collection and title. */
export type IdOf = (collection: string, title: string) => string;

/** What the creator's readers, buyers and learners left at the site, so that every event has fired. */
export async function fillAudience(deps: OperatorDeps, siteId: string, idOf: IdOf) {
  await fillCurriculum(deps, siteId, idOf);
  for (const { daysAgo, email, name, ...rest } of members) {
    const then = at(deps, daysAgo);
    const id = await ensureMember(deps.database.em.fork(), then, { siteId, email, name });
    if (id) await updateMember(then, siteId, { id, ...rest });
  }
  for (const { daysAgo, title, ...purchase } of purchases) {
    const content_id = idOf(purchase.content_type, title);
    await recordPurchase(at(deps, daysAgo), siteId, { ...purchase, content_id, currency: 'EUR' });
  }
  for (const { daysAgo, course: title, buyer_email, finishedDaysAgo } of enrollments) {
    const { id } = await enroll(at(deps, daysAgo), siteId, {
      course_id: idOf('courses', title),
      buyer_email,
    });
    if (finishedDaysAgo !== undefined) await completeEnrollment(at(deps, finishedDaysAgo), siteId, id);
  }
  for (const { daysAgo, ...testimonial } of testimonials)
    await submitTestimonial(at(deps, daysAgo), siteId, testimonial);
  for (const { daysAgo, ...subscriber } of subscribers)
    await subscribe(at(deps, daysAgo), siteId, subscriber);
  await changeMinds(deps, siteId, idOf);
  await insertViews(deps.database, exampleViews(siteId, deps.clock.now()));
}

async function fillCurriculum(deps: OperatorDeps, siteId: string, idOf: IdOf) {
  const modules = collectionOf({ deps, siteId }, module);
  const lessons = collectionOf({ deps, siteId }, lesson);
  for (const [place, { course: title, title: name, lessons: parts }] of curriculum.entries()) {
    const parent = { course_id: idOf(course.collection, title), title: name, sort_order: place };
    const { id: module_id } = await createRecord(modules, parent);
    for (const [sort_order, part] of parts.entries())
      await createRecord(lessons, { module_id, sort_order, ...part });
  }
}

/** One post is mended, another one regretted. */
async function changeMinds(deps: OperatorDeps, siteId: string, idOf: IdOf) {
  const posts = collectionOf({ deps, siteId }, post);
  await updateRecord(posts, idOf(post.collection, 'Retry like you mean it'), { featured: true });
  const { id } = await createRecord(posts, { title: 'Hot take: all databases are the same' });
  await deleteRecord(posts, id);
}
