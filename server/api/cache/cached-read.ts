import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import';
import { z } from 'zod';
import type { AnswerNotes, Context, Surface } from '../context.ts';
import type { AnswerKey, ResponseCache } from '../response-cache.ts';
import { t } from '../trpc.ts';

const noInput = z.object({}).prefault({});

/**
 * Answers a read from memory while `collection` is unchanged. It declares the input itself, so that the key holds the
 * parsed input, and must stand before `.output`: then the output's check runs inside of it, and only checked answers are
 * kept. Whatever else an answer depends on (who reads) must be in the context before. What raises a version: the
 * function `note_collection_change` of the migrations, by triggers on each table.
 *
 * Never stale: the version was read by this request's own key query, and content fetched later is at least as new.
 */
export const cachedRead = <I extends z.ZodType = typeof noInput>(collection: string, input?: I) =>
  t.procedure
    .meta({ cached: collection })
    // Left out only where `I` is the type of `noInput`.
    .input((input ?? noInput) as I)
    .use(async ({ ctx, path, meta, input: parsed, next }) => {
      if (meta?.memberToken && !ctx.reader)
        throw new Error(`${path}: the reader is not set before the cache lookup`);
      const { responses } = ctx.deps;
      const question = `${JSON.stringify(ctx.reader)} ${JSON.stringify(parsed)}`;
      const key = answerKey(path, { siteId: ctx.siteId, version: versionOf(ctx, path) }, question);
      const cached = responses.get(key);
      if (cached) {
        ctx.answer.question = question;
        ctx.answer.revision = responses.renderedOf(cached)?.revision;
        return { ok: true, data: cached, marker: middlewareMarker };
      }
      // Notes of its own, for they are kept with the answer, and calls of a batch share those of the request.
      const answer: AnswerNotes = {};
      const result = await next({ ctx: { answer } });
      const { revision } = answer;
      const isKept =
        ctx.reader?.buyer === undefined &&
        (revision === undefined || keepsRecord[ctx.surface](responses, key));
      if (isKept && result.ok && typeof result.data === 'object' && result.data !== null)
        responses.set(key, result.data, { text: ctx.surface === 'rpc' ? 'rpcBatch' : 'body', revision });
      ctx.answer.revision = revision;
      return result;
    });

/**
 * Whether an answer that tells of one record is kept; all others are. Who reads all records once, as crawlers and static
 * builds do, would drive out what others read, and fill memory with what nobody takes again.
 */
const keepsRecord: Record<Surface, (responses: ResponseCache, key: AnswerKey) => boolean> = {
  rest: (responses, key) => responses.noteRequest(key),
  mcp: (responses, key) => responses.noteRequest(key),
  // What a batch may gather in memory is counted by what its kept answers take.
  rpc: () => true,
  // The page is kept itself.
  site: () => false,
};

/** By what an answer is kept: `question` is what it depends on besides the procedure and the content of a site. */
export const answerKey = (
  procedure: string,
  { siteId, version }: { siteId: string | undefined; version: number },
  question: string,
): AnswerKey => ({ question: `${procedure} ${siteId} ${question}`, version });

/** Throws when the version is unknown: an answer kept without it would never change again. */
function versionOf({ collectionState }: Context, path: string): number {
  if (!collectionState) throw new Error(`${path}: the version of its collection is not set`);
  return collectionState.version;
}
