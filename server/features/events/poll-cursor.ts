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

/** Of which event's log it is, and where it leads; null for what is no cursor. */
export function decodePollCursor(cursor: string) {
  const { data } = Cursor.safeParse(decodeWord(cursor));
  if (!data) return null;
  const [event, direction, moment, id] = data;
  return { event, position: { direction, after: { moment, id } } };
}
