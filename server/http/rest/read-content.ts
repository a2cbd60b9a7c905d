import type { FastifyRequest } from 'fastify';
import { createUncachedBody, type ResponseBody } from '../../../shared/runtime/compressed-body.ts';
import { answerKey } from '../../api/cache/cached-read.ts';
import type { Context } from '../../api/context.ts';
import { entityTag } from '../../api/entity-tag.ts';
import type { RestProcedure } from '../../api/procedures.ts';
import type { RenderedAnswer } from '../../api/response-cache.ts';
import type { CachedAddress } from '../fast-path.ts';
import { jsonType, type Representation } from '../send-representation.ts';
import { nextLink } from './query.ts';

/** Returns the headers of cacheable reads, including the link to the next page, as alternating names and values. */
export function readHeaders(procedure: RestProcedure, url: string, output: unknown): string[] {
  const link = nextLink(procedure, url, output);
  return [...(link ? ['link', link] : []), ...cacheHeaders];
}

const cacheHeaders = [
  ...['cache-control', 'private, no-cache'],
  ...['vary', 'Authorization, X-Member-Token, Accept-Encoding'],
];

const contentOf = (rendered: RenderedAnswer, headers: readonly string[]): Representation => ({
  type: jsonType,
  etag: rendered.etag(),
  bytes: rendered.body(),
  headers,
});

/**
 * Returns the representation of an output: cached texts if it came from the response cache, otherwise a text that is
 * rendered for this answer only.
 */
export function readContent(
  output: unknown,
  headers: readonly string[],
  { deps: { responses }, answer: { revision } }: Context,
): Representation<ResponseBody> {
  const rendered = responses.renderedOf(output);
  if (rendered) return contentOf(rendered, headers);
  const text = JSON.stringify(output);
  return { type: jsonType, etag: entityTag(text, revision), bytes: createUncachedBody(text), headers };
}

/**
 * Returns the entry with which the fast path answers later requests of the same URL. Undefined if this one was not answered
 * from memory, or if its answer is not the same for all keys.
 */
export function cachedAddressOf(
  procedure: RestProcedure,
  { method, url, routeOptions }: FastifyRequest,
  { deps: { responses }, answer: { question }, memberToken }: Context,
): CachedAddress | undefined {
  const { tier, access, keyTier } = procedure.meta;
  const isForAll = method === 'GET' && memberToken === undefined;
  if (question === undefined || !isForAll || !tier || access !== 'key' || keyTier) return undefined;
  const contents = new WeakMap<object, Representation>();
  return {
    route: routeOptions.url ?? '',
    tier,
    procedure,
    surface: 'rest',
    question,
    isPlain: ({ headers }) => headers['x-member-token'] === undefined,
    contentFor({ caller, collectionState }) {
      if (caller?.kind !== 'key' || !collectionState) return undefined;
      const { version } = collectionState;
      const output = responses.peek(answerKey(procedure.name, { siteId: caller.site_id, version }, question));
      const rendered = responses.renderedOf(output);
      if (!output || !rendered) return undefined;
      const made = contents.get(output);
      if (made) return made;
      const content = contentOf(rendered, readHeaders(procedure, url, output));
      contents.set(output, content);
      return content;
    },
  };
}
