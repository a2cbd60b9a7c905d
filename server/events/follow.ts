import { setTimeout as delay } from 'node:timers/promises';
import { tracked } from '@trpc/server';
import type { z } from 'zod';
import { type EventName, eventNames, eventsUnder } from '../../shared/contract/events.ts';
import type { FollowInput, LoggedEvent } from '../../shared/contract/features/events.ts';
import { paging } from '../../shared/contract/limits.ts';
import { admit } from '../api/access/admit.ts';
import type { AdmissionEntry } from '../api/access/checks.ts';
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
import type { FollowerPositions } from './follower-positions.ts';
import type { FollowTimes, LiveEvents, LiveLog } from './live-log.ts';

declare module '../api/deps.ts' {
  interface Infrastructure {
    following: FollowTimes;
  }
  interface Deps {
    liveLog: LiveLog;
    followerPositions: FollowerPositions;
  }
}

/** How long a follower waits when the database could not be asked. */
const retryMs = 1_000;

/**
 * A site's events from where the caller left off, else from now on: those that a poll at this moment would not yet show.
 * Ends when `signal` aborts, which has to happen sooner or later, and with the refusal when the key ends.
 */
export async function followEvents(
  ctx: Context & AdmissionEntry & { siteId: string },
  { events, after, lastEventId }: z.infer<typeof FollowInput>,
  signal: AbortSignal,
): Promise<EventStream<LoggedEvent>> {
  const { deps, siteId } = ctx;
  const names = events ? eventsUnder(events) : eventNames;
  const begin = lastEventId ?? after;
  const place = begin === undefined ? await readLatest(deps, siteId) : placeOf(begin);
  const ended = new AbortController();
  const giveBack = await deps.followerPositions.take({
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
  const rows = rowsAfter(deps, { siteId, names, place, signal: AbortSignal.any([signal, ended.signal]) });
  const beginsAfter = idOf(names[0] ?? 'content.created', place);
  return Object.assign(eventsOf(rows, ended.signal), { beginsAfter });
}

/** Each event with the id that leads back to it; in the end, why it was ended. */
async function* eventsOf(rows: AsyncIterable<LogRow>, ended: AbortSignal) {
  for await (const row of rows) {
    ended.throwIfAborted();
    yield tracked(idOf(row.name, row), asDelivered(row));
  }
  ended.throwIfAborted();
}

const idOf = (name: EventName, place: EventPosition) => encodePollCursor(name, 'oldest_first', place);

function placeOf(id: string): EventPosition {
  const place = decodePollCursor(id)?.position.after;
  // To begin anew would leave out, or repeat, whatever the caller has not seen.
  if (!place)
    throw new ApiError('invalid_request', 'after: must be the id of an event or a cursor from polling');
  return place;
}

interface Following {
  siteId: string;
  names: readonly EventName[];
  place: EventPosition;
  signal: AbortSignal;
}

/**
 * From the log page by page as they are taken, then as they come; whoever is too slow for that reads the log again. So at
 * no time is more held than a page, or the events that may wait.
 */
async function* rowsAfter(deps: Deps, { siteId, names, place: begin, signal }: Following) {
  let place = begin;
  while (!signal.aborted) {
    try {
      using live = await deps.liveLog.join(siteId, names);
      for await (const row of inOrder(deps, { siteId, names, place, signal }, live)) {
        place = row;
        yield row;
      }
    } catch (err) {
      deps.logger.debug({ err }, 'reading events for a live follower failed; retrying');
      await delay(retryMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** What the log holds from `place` on, and what comes live, each event once. */
async function* inOrder(deps: Deps, { siteId, names, place, signal }: Following, live: LiveEvents) {
  const slice = { direction: 'oldest_first', before: live.from, limit: paging.poll.default } as const;
  let after = place;
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
