import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import';
import { t } from '../trpc.ts';

/**
 * Answers a read of `meta.cached` from memory while that collection is unchanged. Goes after `.input` and before
 * `.output`: the key holds the parsed input, and what is kept has passed the output's contract.
 *
 * Never stale: the version was read by this request's own key lookup, and content fetched later is at least as new.
 */
export const answerFromCache = t.middleware(async ({ ctx, path, input, next }) => {
  const { answers } = ctx.deps;
  const key = JSON.stringify([path, ctx.siteId, ctx.collection?.version, ctx.reader, input]);
  const kept = answers.get(key);
  if (kept) return { ok: true, data: kept, marker: middlewareMarker };
  const result = await next();
  if (result.ok && typeof result.data === 'object' && result.data !== null) answers.set(key, result.data);
  return result;
});
