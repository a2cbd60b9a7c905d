import { z } from 'zod';
import type { EventName } from '../../shared/contract/events.ts';
import { parseDateTime } from '../../shared/contract/fields.ts';
import { recordIdPattern } from '../../shared/contract/record-id.ts';
import { fromOpaque, toOpaque } from '../opaque.ts';
import type { LogPosition, Place } from './read.ts';

const Cursor = z.tuple([
  z.string(),
  z.enum(['newest_first', 'oldest_first']),
  z
    .string()
    .max(40)
    .refine((moment) => parseDateTime(moment.replace(/\+00$/, 'Z')) !== null),
  z.string().regex(recordIdPattern),
]);

/** Opaque to callers: event name, direction, and the place of the last event shown. */
export function encodePollCursor(
  event: EventName,
  direction: LogPosition['direction'],
  { moment, id }: Place,
): string {
  return toOpaque([event, direction, moment, id]);
}

/** Null for what is no cursor of this event's log: reading restarts (DECISIONS 11). */
export function decodePollCursor(event: EventName, cursor: string): LogPosition | null {
  const parsed = Cursor.safeParse(fromOpaque(cursor));
  if (!parsed.success || parsed.data[0] !== event) return null;
  const [, direction, moment, id] = parsed.data;
  return { direction, after: { moment, id } };
}
