import { z } from 'zod';
import { documented } from './documented.ts';
import { keysOf } from './names-of.ts';
import { eventfulCollections } from './resources/index.ts';

const id = (of: string) => documented(z.string(), `ID of the ${of}`, 'mb3k9x2a7f0q1zd');
const email = (of: string) => documented(z.string(), `Email address of the ${of}`, 'grace@example.com');
const text = (description: string, example: string) => documented(z.string(), description, example);
/**
 * Returns the schema of a timestamp in RFC 3339 and UTC. Timestamps of other answers have a space instead of the `T`.
 */
export const timestamp = (description: string) =>
  documented(z.iso.datetime(), description, '2026-01-31T09:05:00.123Z');
const collection = <const C extends string>(name: C) => z.literal(name).describe('Collection of the record');

const content = z.strictObject({
  id: id('record'),
  collection: z.enum(eventfulCollections).describe('Collection of the record'),
  title: text('Title of the record', 'Type-safe APIs without a build step'),
  slug: text('Slug of the record', 'type-safe-apis'),
});

const enrollment = {
  id: id('enrollment'),
  collection: collection('enrollments'),
  course: id('course'),
  buyer_email: email('learner'),
};

/** Events with their data. The catalog, registration and documentation are derived from this table. */
export const events = {
  'content.created': { description: 'A post, project or custom page was created', data: content },
  'content.updated': { description: 'A post, project or custom page was updated', data: content },
  'content.deleted': { description: 'A post, project or custom page was deleted', data: content },
  'content.published': {
    description: 'Content was updated while not a draft; may be sent in addition to content.updated',
    data: content,
  },
  'purchase.completed': {
    description: 'A one-time purchase was completed',
    data: z.strictObject({
      id: id('purchase'),
      collection: collection('purchases'),
      buyer_email: email('buyer'),
      content_type: text('Collection of the purchased record', 'posts'),
      content_id: id('purchased record'),
      amount: documented(z.number(), 'Amount paid, in units of `currency`', 49.5),
      currency: text('Currency of the amount (ISO 4217)', 'EUR'),
    }),
  },
  'course.enrolled': { description: 'A learner enrolled in a course', data: z.strictObject(enrollment) },
  'course.completed': {
    description: 'A learner finished a course',
    data: z.strictObject({
      ...enrollment,
      completed_at: timestamp('Completion time'),
    }),
  },
  'testimonial.submitted': {
    description: 'A testimonial was submitted',
    data: z.strictObject({
      id: id('testimonial'),
      collection: collection('testimonials'),
      name: text('Name of the author', 'Grace Lin'),
      email: email('author'),
      company: text('Company of the author', 'Northwind Labs'),
      role: text('Role of the author at the company', 'CTO'),
    }),
  },
  'newsletter.subscribe': {
    description: 'Someone subscribed to the newsletter',
    data: z.strictObject({
      id: id('subscriber'),
      collection: collection('subscribers'),
      email: email('subscriber'),
      name: text('Name of the subscriber; empty if none was given', 'Grace Lin'),
      source: text('Source of the subscription, such as the form that was used; may be empty', 'footer'),
    }),
  },
} as const satisfies Record<string, { description: string; data: z.ZodType }>;

export type EventName = keyof typeof events;
export type EventData<N extends EventName> = z.infer<(typeof events)[N]['data']>;

/** Event before it is logged: its name and data. */
export type NewEvent = { [N in EventName]: { name: N; data: EventData<N> } }[EventName];

export const eventNames = keysOf(events);

export const EventName = documented(z.enum(eventNames), 'Event name', 'content.published');

const under = (namespace: string) => eventNames.filter((name) => name.startsWith(`${namespace}.`));

/** Events that each wildcard of a v2 registration covers (docs/reference/event-log.md#wildcards). */
const wildcards = {
  'analytics.*': [],
  'member.*': ['newsletter.subscribe'],
  'payment.*': ['purchase.completed'],
  'content.*': under('content'),
  'course.*': under('course'),
  '*': eventNames,
} as const satisfies Record<string, readonly EventName[]>;

const wildcardNames = keysOf(wildcards);

export const EventPattern = documented(
  z.enum([...eventNames, ...wildcardNames]),
  'Event name or wildcard',
  'content.*',
);

/** Returns the values with which a subscription can select `event`: its name and the wildcards that cover it. */
export function patternsFor(event: EventName): string[] {
  const covering = wildcardNames.filter((wildcard) =>
    wildcards[wildcard].some((covered: EventName) => covered === event),
  );
  return [event, ...covering];
}

/** Returns the events that are covered by the given event names and wildcards. Empty if none is. */
export const eventsUnder = (patterns: readonly z.infer<typeof EventPattern>[]): EventName[] =>
  eventNames.filter((event) =>
    patternsFor(event).some((pattern) => patterns.some((subscribed) => subscribed === pattern)),
  );
