/** Type tests of the client's events. `tsc` runs them; the functions are never called. */
import { expectTypeOf, test } from 'vitest';
import type {
  ApiClient,
  LoggedEvent,
  OutputOf,
  unwrapWebhook,
  WebhookEvent,
} from '../../client/sdk/index.ts';

declare const client: ApiClient;

test('followed events have the type of their data', () => {
  type Follow = ApiClient['v1']['events']['follow'];
  expectTypeOf<OutputOf<Follow>>().toEqualTypeOf<{ id: string; data: LoggedEvent }>();
  expectTypeOf(client.v1.events.follow.subscribe()).toEqualTypeOf<
    AsyncIterableIterator<{ id: string; data: LoggedEvent }>
  >();
  client.v1.events.follow.subscribe({ events: ['content.*', 'course.enrolled'], after: 'an id' });
  expectTypeOf(
    client.v1.events.follow.subscribe({}, { onData: ({ data }) => data.timestamp.getTime() }).unsubscribe,
  ).toEqualTypeOf<() => void>();
  // @ts-expect-error an event that there is not
  client.v1.events.follow.subscribe({ events: ['content.read'] });
  // @ts-expect-error it is no read
  client.v1.events.follow.query;
});

test('polled events have the type of the requested event', () => {
  type Polled<Name> = Extract<LoggedEvent, { event: Name }>;
  expectTypeOf(
    client.v1.events.poll.query({ event: 'purchase.completed', limit: 5 }),
  ).resolves.toEqualTypeOf<{
    events: Polled<'purchase.completed'>[];
    next_cursor?: string | undefined;
  }>();
  expectTypeOf<Polled<'purchase.completed'>['timestamp']>().toEqualTypeOf<Date>();
  expectTypeOf<Polled<'purchase.completed'>['data']['amount']>().toBeNumber();
  const either = 'course.enrolled' as 'course.enrolled' | 'content.created';
  expectTypeOf(client.v1.events.poll.query({ event: either }))
    .resolves.toHaveProperty('events')
    .toEqualTypeOf<Polled<'course.enrolled' | 'content.created'>[]>();
  // @ts-expect-error there is no such event
  client.v1.events.poll.query({ event: 'content.lost' });
  // @ts-expect-error the event to poll is required
  client.v1.events.poll.query();
});

test('unwrapped webhook events have the type of their data', () => {
  const event = {} as Awaited<ReturnType<typeof unwrapWebhook>>;
  expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
  expectTypeOf(event.timestamp).toEqualTypeOf<Date>();
  if (event.event === 'purchase.completed') expectTypeOf(event.data.amount).toBeNumber();
  if (event.event === 'course.completed') expectTypeOf(event.data.completed_at).toBeString();
  if (event.event === 'test') expectTypeOf(event.data).toEqualTypeOf<{ message: string }>();
  // @ts-expect-error there is no such event
  if (event.event === 'content.lost') return;
  // @ts-expect-error what data holds depends on the event
  event.data.slug;
});
