import { middlewareMarker } from '@trpc/server/unstable-core-do-not-import';
import { z } from 'zod';
import type { AnswerNotes, Context, Surface } from '../context.ts';
import type { AnswerKey, ResponseCache } from '../response-cache.ts';
import { t } from '../trpc.ts';

const noInput = z.object({}).prefault({});

/**
 * Returns the builder of a read that is answered from memory while `collection` is unchanged. It declares the input, so
 * that the key contains the parsed input.
 *
 * `cachedRead` must come before `.output`, so that only answers which passed the output contract are stored. An answer
 * may depend on the site's collection, the input and the reader only. The reader must already be in the context.
 * Answers for a reader with too many purchases to list (`buyer`) are not stored. Triggers on each table raise the
 * version by `note_collection_change` of the migrations.
 *
 * Answers are never stale: the version was read by this request's own key query, and content that is fetched later is
 * at least as new.
 */
export const cachedRead = <I extends z.ZodType = typeof noInput>(collection: string, input?: I) =>
  t.procedure
    .meta({ cached: collection })
    // `input` is undefined only if `I` is the type of `noInput`.
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
      // Separate notes, because they are stored with the answer, and calls of a batch share the notes of the request.
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
 * Decides whether an answer with one record is stored; other answers always are. Crawlers and static builds read every
 * record once, which would evict answers that others read again.
 */
const keepsRecord: Record<Surface, (responses: ResponseCache, key: AnswerKey) => boolean> = {
  rest: (responses, key) => responses.noteRequest(key),
  mcp: (responses, key) => responses.noteRequest(key),
  // RPC relies on the size of stored answers to limit the memory of a batch.
  rpc: () => true,
  // The page itself is cached.
  site: () => false,
};

/**
 * Creates the key of a stored answer. `question` is everything it depends on other than the procedure, the site and its
 * content.
 */
export const answerKey = (
  procedure: string,
  { siteId, version }: { siteId: string | undefined; version: number },
  question: string,
): AnswerKey => ({ question: `${procedure} ${siteId} ${question}`, version });

/**
 * Returns the version of the procedure's collection. Throws an `Error` if it is unknown: an answer stored without it would
 * never change again.
 */
function versionOf({ collectionState }: Context, path: string): number {
  if (!collectionState) throw new Error(`${path}: the version of its collection is not set`);
  return collectionState.version;
}
