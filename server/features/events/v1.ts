import { z } from 'zod';
import {
  EventBatch,
  EventCatalogue,
  EventName,
  eventNames,
  events,
  Since,
} from '../../../shared/contract/events.ts';
import { paging } from '../../../shared/contract/limits.ts';
import { wholeNumber } from '../../../shared/contract/pagination.ts';
import { get } from '../../access/route.ts';
import { router } from '../../kernel/trpc.ts';
import { type LogPosition, logged, readLog } from './event-log.ts';
import { decodePollCursor, encodePollCursor } from './poll-cursor.ts';

const route = { scope: 'read', tag: 'events' } as const;

const catalogue = get({
  ...route,
  path: '/v1/webhooks/events',
  mcp: { name: 'list_events', resource: 'events' },
  summary: 'List the events that can be polled',
})
  .output(EventCatalogue)
  .query(() => ({ events: eventNames.map((key) => ({ key, description: events[key].description })) }));

const poll = get({
  ...route,
  path: '/v1/webhooks/poll/{event}',
  mcp: { name: 'poll_events', resource: 'events' },
  summary: 'Poll logged events of one type',
})
  .meta({ keyTier: 'poll' })
  .input(
    z.object({
      event: EventName,
      cursor: z.string().meta({ description: 'The `next_cursor` of an earlier answer' }).optional(),
      since: Since.optional(),
      limit: wholeNumber(paging.poll, 'Events in an answer'),
    }),
  )
  .output(EventBatch)
  .query(async ({ ctx, input: { event, cursor, since, limit } }) => {
    const position = (cursor && decodePollCursor(event, cursor)) || startAt(since);
    const rows = await readLog(ctx.deps, { siteId: ctx.siteId, event, limit: limit + 1, ...position });
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    const more = rows.length > limit && last;
    return {
      events: shown.map(logged),
      ...(more ? { next_cursor: encodePollCursor(event, position.direction, last) } : {}),
    };
  });

/** Newest first, or from `since` on oldest first. */
function startAt(since: Date | undefined): LogPosition {
  if (since === undefined) return { direction: 'newest_first' };
  return { direction: 'oldest_first', since };
}

/** Events over `/api/v1`, for callers that poll instead of taking deliveries. */
export const eventsV1 = router({ catalogue, poll });
