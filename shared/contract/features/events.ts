import { z } from 'zod';
import { documented, titled } from '../documented.ts';
import { type EventData, EventName, EventPattern, eventNames, events, timestamp } from '../events.ts';
import { DateTime, toDate } from '../moments.ts';
import { typeName } from '../names-of.ts';

/** The body of a delivery of an event. */
export const deliveryOf = (name: EventName) =>
  titled(`${typeName(name)}Delivery`, {
    event: z.literal(name).describe('Name of the event'),
    timestamp: timestamp('When it happened'),
    data: events[name].data.describe('What it happened to'),
  });

/** A logged event, as polling gives it. Its moment is RFC 3339, as in deliveries. */
export type LoggedEvent = {
  [N in EventName]: { id: string; event: N; timestamp: string; data: EventData<N> };
}[EventName];

const id = documented(z.string(), 'Id of the event, the same in every answer', 'mb3k9x2a7f0q1zd');

const [firstLogged, ...moreLogged] = eventNames.map((name) =>
  titled(`${typeName(name)}Event`, { id, ...deliveryOf(name).shape }),
);

if (!firstLogged) throw new Error('there are no events');

const loggedEvents = z.discriminatedUnion('event', [firstLogged, ...moreLogged]);

// Made by a loop over the table, which loses the pairing of name and data: the type above states it.
export const LoggedEvent = loggedEvents as unknown as z.ZodType<LoggedEvent>;

export const EventCatalogue = titled('EventCatalogue', {
  events: z
    .array(z.strictObject({ key: EventName, description: z.string().describe('When it fires') }))
    .describe('Events that can be polled'),
});

export const EventBatch = titled('EventBatch', {
  events: z.array(LoggedEvent).describe('Logged events'),
  next_cursor: z.string().optional().describe('Present when more events follow'),
});

/** `since` of the poll. */
export const Since = documented(
  DateTime.transform(toDate),
  'Events at or after this moment, oldest first; ignored with `cursor`',
  '2026-01-31T09:00:00Z',
);

const placeInLog = z.string().max(500);

/** What to follow, and from where. */
export const FollowInput = z.object({
  events: documented(
    z.array(EventPattern).min(1).max(50).optional(),
    'What to tell of; everything when left out',
    ['content.*'],
  ),
  after: placeInLog
    .optional()
    .describe('The id of the last event that was seen, or a cursor of polling; left out, from now on'),
  lastEventId: placeInLog
    .optional()
    .describe('As `after`, from a client that lost its connection; it sends this by itself'),
});
