import { z } from 'zod';
import { EventName, eventNames, events } from '../../shared/contract/events.ts';
import {
  EventBatch,
  EventCatalogue,
  FollowInput,
  LoggedEvent,
  Since,
} from '../../shared/contract/features/events.ts';
import { paging } from '../../shared/contract/limits.ts';
import { wholeNumber } from '../../shared/contract/pagination.ts';
import { keyProcedure } from '../api/access/procedures.ts';
import { get } from '../api/access/route.ts';
import { streamOf } from '../api/event-stream.ts';
import { router } from '../api/trpc.ts';
import {
  decodePollCursor,
  encodePollCursor,
  type LogPosition,
  logged,
  readHorizon,
  readLog,
} from './event-log.ts';
import { followEvents } from './follow.ts';

const route = { scope: 'read', tag: 'events' } as const;

const catalogue = get({
  ...route,
  path: '/v1/webhooks/events',
  mcp: { name: 'list_events', resource: 'events' },
  summary: 'List events that can be polled',
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
      cursor: z.string().describe('`next_cursor` of an earlier response').optional(),
      since: Since.optional(),
      limit: wholeNumber(paging.poll, 'Maximum number of events per response'),
    }),
  )
  .output(EventBatch)
  .query(async ({ ctx, input: { event, cursor, since, limit } }) => {
    const decoded = cursor === undefined ? null : decodePollCursor(cursor);
    // An invalid cursor, or one of another event's log, is ignored: reading restarts (docs/reference/event-log.md#the-log).
    const position = decoded?.event === event ? decoded.position : startAt(since);
    const { moment: before } = await readHorizon(ctx.deps, ctx.siteId);
    const rows = await readLog(ctx.deps, ctx.siteId, [event], { ...position, limit: limit + 1, before });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    const more = rows.length > limit && last;
    return {
      events: page.map(logged),
      ...(more ? { next_cursor: encodePollCursor(event, position.direction, last) } : {}),
    };
  });

/** Returns the position of a poll without a cursor: newest first, or oldest first if `since` is given. */
const startAt = (since: Date | undefined): LogPosition =>
  since ? { direction: 'oldest_first', since } : { direction: 'newest_first' };

/** RPC only, because REST has no streaming responses. */
const follow = keyProcedure
  .meta({ scope: 'read', errors: ['too_many_followers'] })
  .input(FollowInput.prefault({}))
  .output(streamOf(LoggedEvent))
  .subscription(({ ctx, input, signal }) => {
    // Without a signal, the follower's slot would stay occupied.
    if (!signal) throw new Error('following events requires an abort signal');
    return followEvents(ctx, input, signal);
  });

/** Procedures for callers that poll or follow events instead of receiving deliveries. */
export const eventLog = { v1: { events: router({ catalogue, poll, follow }) } };
