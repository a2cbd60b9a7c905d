import { z } from 'zod';
import { type EventData, EventName, EventPattern, eventNames, events, timestamp } from '../events.ts';
import { DateTime, toDate } from '../moments.ts';
import { typeName } from '../names-of.ts';

/** The body of a delivery of an event. */
export const deliveryOf = (name: EventName) =>
  z
    .strictObject({
      event: z.literal(name).meta({ description: 'Name of the event' }),
      timestamp: timestamp('When it happened'),
      data: events[name].data.meta({ description: 'What it happened to' }),
    })
    .meta({ title: `${typeName(name)}Delivery` });

/** A logged event, as polling gives it. Its moment is RFC 3339, as in deliveries. */
export type LoggedEvent = {
  [N in EventName]: { id: string; event: N; timestamp: string; data: EventData<N> };
}[EventName];

const id = z
  .string()
  .meta({ description: 'Id of the event, the same in every answer', examples: ['mb3k9x2a7f0q1zd'] });

const [firstLogged, ...moreLogged] = eventNames.map((name) =>
  z.strictObject({ id, ...deliveryOf(name).shape }).meta({ title: `${typeName(name)}Event` }),
);

if (!firstLogged) throw new Error('there are no events');

const loggedEvents = z.discriminatedUnion('event', [firstLogged, ...moreLogged]);

// Made by a loop over the table, which loses the pairing of name and data: the type above states it.
export const LoggedEvent = loggedEvents as unknown as z.ZodType<LoggedEvent>;

export const EventCatalogue = z
  .strictObject({
    events: z
      .array(
        z.strictObject({ key: EventName, description: z.string().meta({ description: 'When it fires' }) }),
      )
      .meta({ description: 'Events that can be polled' }),
  })
  .meta({ title: 'EventCatalogue' });

export const EventBatch = z
  .strictObject({
    events: z.array(LoggedEvent).meta({ description: 'Logged events' }),
    next_cursor: z.string().optional().meta({ description: 'Present when more events follow' }),
  })
  .meta({ title: 'EventBatch' });

/** `since` of the poll. */
export const Since = DateTime.transform(toDate).meta({
  description: 'Events at or after this moment, oldest first; ignored with `cursor`',
  examples: ['2026-01-31T09:00:00Z'],
});

const placeInLog = z.string().max(500);

/** What to follow, and from where. */
export const FollowInput = z.object({
  events: z
    .array(EventPattern)
    .min(1)
    .max(50)
    .optional()
    .meta({ description: 'What to tell of; everything when left out', examples: [['content.*']] }),
  after: placeInLog.optional().meta({
    description: 'The id of the last event that was seen, or a cursor of polling; left out, from now on',
  }),
  lastEventId: placeInLog
    .optional()
    .meta({ description: 'As `after`, from a client that lost its connection; it sends this by itself' }),
});
