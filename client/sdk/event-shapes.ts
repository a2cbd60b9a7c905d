import { events } from '../../shared/contract/events.ts';
import type { TestEventData } from '../../shared/contract/features/webhooks.ts';

/** Type of each field in an event's data, by event name. */
export type EventShapes = Readonly<Record<string, Readonly<Record<string, 'string' | 'number'>>>>;

/** JavaScript type of a field's values, by the type of its Zod schema. */
const kinds: Record<string, 'string' | 'number'> = {
  string: 'string',
  enum: 'string',
  literal: 'string',
  number: 'number',
};

/**
 * Computed from the contract, which needs Zod. The build replaces this expression by its value, so that the package
 * contains neither the contract nor Zod.
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
