import type { TRPCLink } from '@trpc/client';
import type { AnyRouter } from '@trpc/server';
import { tap } from '@trpc/server/observable';
import { keepEtag } from './etag.ts';
import { isObject } from './is-object.ts';
import { JsonAnswer } from './json-fetch.ts';

/**
 * Keeps the tag of a record with it, for `etagOf`. Only where the call has to travel alone: one that happens to be the
 * only one of its batch would have a tag now and none another time.
 */
export const etagLink: TRPCLink<AnyRouter> =
  () =>
  ({ op, next }) =>
    next(op).pipe(
      tap({
        next({ result, context }) {
          const answer = context?.response;
          const tag = op.context.alone && answer instanceof JsonAnswer && answer.headers.get('etag');
          if (tag && 'data' in result && isObject(result.data)) keepEtag(result.data, tag);
        },
      }),
    );
