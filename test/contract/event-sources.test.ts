import { expect, test } from 'vitest';
import { type EventName, eventNames } from '../../shared/contract/events.ts';
import { fireAllEvents } from '../support/all-events.ts';
import { startApp } from '../support/app.ts';
import { anyId } from '../support/shapes.ts';

// Each of the nine events fires from its real source and can be polled.

test('all nine events fire from their sources, with their data', async () => {
  await using app = await startApp();
  const fired = await fireAllEvents(app);
  const { key, bought, purchase, course, writer, buyer_email } = fired;

  const post = { id: fired.post, collection: 'posts', slug: 'hello' };
  const enrolled = { id: fired.enrolment, collection: 'enrollments', course, buyer_email };
  const data: Record<EventName, object> = {
    'content.created': { ...post, title: 'Hello' },
    'content.updated': { ...post, title: 'Hello again' },
    'content.published': { ...post, title: 'Hello again' },
    'content.deleted': { ...post, title: 'Hello again' },
    'purchase.completed': { id: purchase, collection: 'purchases', buyer_email, ...bought },
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
  for (const event of eventNames) {
    const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(await app.get(`/api/v1/webhooks/poll/${event}`, { key })).toEqual({
      status: 200,
      body: { events: [{ id: anyId, event, timestamp, data: data[event] }] },
    });
  }
});
