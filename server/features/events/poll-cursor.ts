import { z } from 'zod';
import type { EventName } from '../../../shared/contract/events.ts';
import { parseDateTime } from '../../../shared/contract/moments.ts';
import { recordIdPattern } from '../../../shared/contract/record-id.ts';
import { decodeWord, encodeWord } from '../../kernel/cursor-codec.ts';
import type { EventPosition, LogPosition } from './event-log.ts';

const Cursor = z.tuple([
  z.string(),
  z.enum(['newest_first', 'oldest_first']),
  z.string().refine(isMoment),
  z.string().regex(recordIdPattern),
]);

/** As PostgreSQL writes moments in UTC. The year 0 and other zones, which RFC 3339 has, it would not read. */
function isMoment(text: string): boolean {
  const [, withoutZone] = /^((?!0000)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?)\+00$/.exec(text) ?? [];
  return withoutZone !== undefined && parseDateTime(`${withoutZone}Z`) !== null;
}

/** Opaque to callers: event name, direction, and the place of the last event shown. */
export function encodePollCursor(
  event: EventName,
  direction: LogPosition['direction'],
  { moment, id }: EventPosition,
): string {
  return encodeWord([event, direction, moment, id]);
}

/** Null for what is no cursor of this event's log: reading restarts (docs/contract.md#the-log). */
export function decodePollCursor(event: EventName, cursor: string): LogPosition | null {
  const parsed = Cursor.safeParse(decodeWord(cursor));
  if (!parsed.success || parsed.data[0] !== event) return null;
  const [, direction, moment, id] = parsed.data;
  return { direction, after: { moment, id } };
}

/** The place that any cursor of the log names; null for what is none. */
export function decodePosition(cursor: string): EventPosition | null {
  const parsed = Cursor.safeParse(decodeWord(cursor));
  if (!parsed.success) return null;
  const [, , moment, id] = parsed.data;
  return { moment, id };
}
