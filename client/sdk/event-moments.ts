import type { TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { tap } from '@trpc/server/observable';
import { isObject } from './is-object.ts';

/** The log holds events as they are delivered, their moment as text: makes it a Date, as in all other answers. */
export const eventMomentsLink: TRPCLink<AnyRouter> =
  () =>
  ({ op, next }) =>
    op.path === 'v1.events.poll' || op.path === 'v1.events.follow'
      ? next(op).pipe(tap({ next: ({ result }) => readMoments(result) }))
      : next(op);

function readMoments(result: object) {
  if (!('data' in result)) return;
  const events = isLog(result.data) ? result.data.events : isFollowed(result.data) ? [result.data.data] : [];
  for (const event of events) {
    if (typeof event.timestamp === 'string') event.timestamp = new Date(event.timestamp);
  }
}

interface WithMoment {
  timestamp: unknown;
}

const isLog = (data: unknown): data is { events: WithMoment[] } =>
  isObject(data) && 'events' in data && Array.isArray(data.events);

const isFollowed = (data: unknown): data is { data: WithMoment } => isObject(data) && 'data' in data;
