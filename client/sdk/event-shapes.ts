import { events } from '../../shared/contract/events.ts';
import type { TestEventData } from '../../shared/contract/features/webhooks.ts';

/** What each field of an event's data is, by the event's name. */
export type EventShapes = Readonly<Record<string, Readonly<Record<string, 'string' | 'number'>>>>;

/** Of the kinds of Zod. */
const kinds: Record<string, 'string' | 'number'> = {
  string: 'string',
  enum: 'string',
  literal: 'string',
  number: 'number',
};

/**
 * Taken from the contract, which needs Zod. The build puts the value of this in its place, so that neither is part of
 * the package.
 */
export const eventShapes: EventShapes = {
  ...Object.fromEntries(Object.entries(events).map(([name, { data }]) => [name, shapeOf(data.shape)])),
  test: { message: 'string' } satisfies Record<keyof TestEventData, 'string'>,
};

function shapeOf(fields: Record<string, { type: string }>): EventShapes[string] {
  return Object.fromEntries(
    Object.entries(fields).map(([field, { type }]) => {
      const kind = kinds[type];
      if (!kind) throw new Error(`the client can't check that ${field} is of type ${type}`);
      return [field, kind];
    }),
  );
}
