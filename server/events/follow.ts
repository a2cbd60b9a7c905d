import { setTimeout as delay } from 'node:timers/promises';
import { tracked } from '@trpc/server';
import type { z } from 'zod';
import { type EventName, eventNames, eventsUnder } from '../../shared/contract/events.ts';
import type { FollowInput, LoggedEvent } from '../../shared/contract/features/events.ts';
import { paging } from '../../shared/contract/limits.ts';
import type { AdmissionEntry } from '../api/access/access-checks.ts';
import { admit } from '../api/access/admit-request.ts';
import { ApiError } from '../api/api-error.ts';
import type { Context } from '../api/context.ts';
import type { Deps } from '../api/deps.ts';
import type { EventStream } from '../api/event-stream.ts';
import {
  asDelivered,
  decodePollCursor,
  type EventPosition,
  encodePollCursor,
  isAfter,
  type LogRow,
  readLatest,
  readLog,
} from './event-log.ts';
import type { FollowerSlots } from './follower-slots.ts';
import type { FollowTimes, LiveEvents, LiveLog } from './live-log.ts';

declare module '../api/deps.ts' {
  interface Infrastructure {
    following: FollowTimes;
  }
  interface Deps {
    liveLog: LiveLog;
    followerSlots: FollowerSlots;
  }
}

/** Pause after the database was unavailable, in milliseconds. */
const retryMs = 1_000;

/**
 * Follows a site's events, starting after the caller's last event, or with events that a poll now would not return yet.
 * Throws `invalid_request` for an invalid ID of a last event, and `too_many_followers` if no slot is free. The stream
 * ends when `signal` aborts, which must happen eventually. It fails with an `ApiError` when its key loses access or the
 * follower loses its slot.
 *
 * The follower takes one of the slots of its site. It first reads the log page by page, then receives live events. If
 * it is too slow, or reading fails, it returns to the log.
 */
export async function followEvents(
  ctx: Context & AdmissionEntry & { siteId: string },
  { events, after, lastEventId }: z.infer<typeof FollowInput>,
  signal: AbortSignal,
): Promise<EventStream<LoggedEvent>> {
  const { deps, siteId } = ctx;
  const names = events ? eventsUnder(events) : eventNames;
  const begin = lastEventId ?? after;
  const position = begin === undefined ? await readLatest(deps, siteId) : positionOf(begin);
  const ended = new AbortController();
  const giveBack = await deps.followerSlots.take({
    siteId,
    credentials: JSON.stringify([ctx.authorization, ctx.host, ctx.origin, ctx.referer]),
    async check() {
      const { refusal } = await admit({ ...ctx, admission: undefined }, ctx);
      if (refusal) throw refusal;
    },
    end: (reason) => ended.abort(reason),
  });
  signal.addEventListener('abort', giveBack, { once: true });
  if (signal.aborted) giveBack();
  const rows = rowsAfter(deps, { siteId, names, position, signal: AbortSignal.any([signal, ended.signal]) });
  const beginsAfter = idOf(names[0] ?? 'content.created', position);
  return Object.assign(eventsOf(rows, ended.signal), { beginsAfter });
}

/** Yields each event with the ID from which a client can resume. If the follower was ended, it throws the reason. */
async function* eventsOf(rows: AsyncIterable<LogRow>, ended: AbortSignal) {
  for await (const row of rows) {
    ended.throwIfAborted();
    yield tracked(idOf(row.name, row), asDelivered(row));
  }
  ended.throwIfAborted();
}

const idOf = (name: EventName, position: EventPosition) => encodePollCursor(name, 'oldest_first', position);

function positionOf(id: string): EventPosition {
  const position = decodePollCursor(id)?.position.after;
  // An invalid ID is refused: starting elsewhere would skip or repeat events.
  if (!position)
    throw new ApiError(
      'invalid_request',
      'after: must be the id of a followed event, or next_cursor of polling',
    );
  return position;
}

interface FollowState {
  siteId: string;
  names: readonly EventName[];
  position: EventPosition;
  signal: AbortSignal;
}

/**
 * Reads from the log page by page, then live. A follower that is too slow reads from the log again. Memory therefore
 * never contains more than one page or the waiting events.
 */
async function* rowsAfter(deps: Deps, { siteId, names, position: begin, signal }: FollowState) {
  let position = begin;
  while (!signal.aborted) {
    try {
      using live = await deps.liveLog.join(siteId, names);
      for await (const row of inOrder(deps, { siteId, names, position, signal }, live)) {
        position = row;
        yield row;
      }
    } catch (err) {
      deps.logger.debug({ err }, 'reading events for a live follower failed; retrying');
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Yields logged events after `position`, then live ones, each event once. */
async function* inOrder(deps: Deps, { siteId, names, position, signal }: FollowState, live: LiveEvents) {
  const slice = { direction: 'oldest_first', before: live.from, limit: paging.poll.default } as const;
  let after = position;
  for (let isLast = false; !isLast && !signal.aborted; ) {
    const rows = await readLog(deps, siteId, names, { ...slice, after });
    yield* rows;
    after = rows.at(-1) ?? after;
    isLast = rows.length < slice.limit;
  }
  for (let rows = await live.next(signal); rows && !signal.aborted; rows = await live.next(signal)) {
    const from = after;
    yield* rows.filter((row) => isAfter(row, from));
  }
}
