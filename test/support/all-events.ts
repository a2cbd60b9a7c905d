import type { EventName } from '../../shared/contract/events.ts';
import type { TestApp } from './app.ts';
import { anyId } from './matchers.ts';
import { ownerClient, visitorClient } from './rpc.ts';

/** Causes each of the nine events by a real action. Returns the data that each should have. */
export async function fireAllEvents(app: TestApp) {
  const key = await app.seed.key();
  const { studio } = ownerClient(app.baseUrl, await app.seed.ownerToken());
  const { newsletter, testimonials } = visitorClient(app.baseUrl).site;
  const buyer_email = 'grace@example.com';

  const created = await app.post('/api/v1/posts', { key, body: { title: 'Hello' } });
  const { id } = created.body as { id: string };
  await app.patch(`/api/v1/posts/${id}`, { key, body: { title: 'Hello again' } });
  const bought = { content_type: 'posts', content_id: id, amount: 49.5, currency: 'EUR' } as const;
  const purchase = await studio.purchases.record.mutate({ ...bought, buyer_email });
  await app.delete(`/api/v1/posts/${id}`, { key });
  const { id: course } = await studio.courses.create.mutate({ title: 'Course' });
  const enrolment = await studio.enrollments.create.mutate({ course_id: course, buyer_email });
  await studio.enrollments.complete.mutate({ id: enrolment.id });
  const writer = { name: 'Grace', email: buyer_email, company: 'Northwind', role: 'CTO' };
  await testimonials.submit.mutate({ ...writer, content: 'Good', rating: 5 });
  await newsletter.subscribe.mutate({ email: buyer_email, name: 'Grace', source: 'footer' });
  const post = { id, collection: 'posts', slug: 'hello' };
  const enrolled = { id: enrolment.id, collection: 'enrollments', course, buyer_email };
  const data: Record<EventName, object> = {
    'content.created': { ...post, title: 'Hello' },
    'content.updated': { ...post, title: 'Hello again' },
    'content.published': { ...post, title: 'Hello again' },
    'content.deleted': { ...post, title: 'Hello again' },
    'purchase.completed': { id: purchase.id, collection: 'purchases', buyer_email, ...bought },
    'course.enrolled': enrolled,
    'course.completed': { ...enrolled, completed_at: app.clock.now().toISOString() },
    'testimonial.submitted': { id: anyId, collection: 'testimonials', ...writer },
    'newsletter.subscribe': {
      id: anyId,
      collection: 'subscribers',
      email: buyer_email,
      name: 'Grace',
      source: 'footer',
    },
  };
  return { key, data };
}
