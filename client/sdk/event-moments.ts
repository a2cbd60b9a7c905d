import type { TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { tap } from '@trpc/server/observable';

/** The log holds events as they are delivered, their moment as text: makes it a Date, as in all other answers. */
export const eventMomentsLink: TRPCLink<AnyRouter> =
  () =>
  ({ op, next }) =>
    op.path === 'v1.events.poll'
      ? next(op).pipe(tap({ next: ({ result }) => readMoments(result) }))
      : next(op);

function readMoments(result: object) {
  if (!('data' in result) || !isLog(result.data)) return;
  for (const event of result.data.events) {
    if (typeof event.timestamp === 'string') event.timestamp = new Date(event.timestamp);
  }
}

const isLog = (data: unknown): data is { events: { timestamp: unknown }[] } =>
  typeof data === 'object' && data !== null && 'events' in data && Array.isArray(data.events);
