import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { type EventData, EventName, EventPattern, eventNames, events, timestamp } from '../events.ts';
import { typeName } from '../names-of.ts';
import { DateTime, toDate } from '../timestamps.ts';

/** Returns the schema of the body with which deliveries send an event. */
export const deliveryOf = (name: EventName) =>
  titled(`${typeName(name)}Delivery`, {
    event: z.literal(name).describe('Event name'),
    timestamp: timestamp('Time of the event'),
    data: events[name].data.describe('Event data'),
  });

/** Logged event, as polling returns it. Its timestamp is RFC 3339, as in deliveries. */
export type LoggedEvent = {
  [N in EventName]: { id: string; event: N; timestamp: string; data: EventData<N> };
}[EventName];

const id = documented(z.string(), 'Stable ID of the event', 'mb3k9x2a7f0q1zd');

const [firstLogged, ...moreLogged] = eventNames.map((name) =>
  titled(`${typeName(name)}Event`, { id, ...deliveryOf(name).shape }),
);

if (!firstLogged) throw new Error('there are no events');

const loggedEvents = z.discriminatedUnion('event', [firstLogged, ...moreLogged]);

// The loop over the table loses the relation between name and data; the type above states it.
export const LoggedEvent = loggedEvents as unknown as z.ZodType<LoggedEvent>;

export const EventCatalogue = titled('EventCatalogue', {
  events: z
    .array(z.strictObject({ key: EventName, description: z.string().describe('Description of the event') }))
    .describe('Events that can be polled'),
});

export const EventBatch = titled('EventBatch', {
  events: z.array(LoggedEvent).describe('Logged events of this batch'),
  next_cursor: z.string().optional().describe('Cursor of the next batch; absent if there are no more events'),
});

/** Parameter `since` of polling for events. */
export const Since = documented(
  DateTime.transform(toDate),
  'Only events at or after this time, oldest first; ignored if `cursor` is given',
  '2026-01-31T09:00:00Z',
);

const logPosition = z.string().max(500);

/** Input for following events: their names, and the position in the event log to continue from. */
export const FollowInput = z.object({
  events: documented(
    z.array(EventPattern).min(1).max(50).optional(),
    'Event names and wildcards to follow; all events if omitted',
    ['content.*'],
  ),
  after: logPosition
    .optional()
    .describe(
      'ID of the last event that was received, or a cursor from polling; if omitted, only new events are returned',
    ),
  lastEventId: logPosition
    .optional()
    .describe('ID of the last event that was received; clients send it themselves when they reconnect'),
});
