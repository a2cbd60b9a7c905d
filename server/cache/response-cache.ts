import { LRUCache } from 'lru-cache';
import { coded } from '../../shared/coded.ts';
import { entityTag } from '../kernel/entity-tag.ts';
import type { AnswerDetails, AnswerKey, Rendered, ResponseCache } from '../kernel/response-cache.ts';
import { transformer } from '../kernel/transformer.ts';
import { createDoorkeeper } from './doorkeeper.ts';

/** Most bytes that the answers of one process take, roughly: each is held as an object, as one text or two, and compressed. */
export const responseCacheBytes = 32 * 1024 * 1024;

/** What an entry takes besides its texts. */
const overheadBytes = 500;

/** An answer, and what it was made of. */
interface Entry {
  version: AnswerKey['version'];
  value: object;
}

/**
 * Keeps one answer to each question, with the version of what it was made of: asked for with another version it is not
 * there, so an entry is never stale, and the answer that is made then takes its place.
 */
export function createResponseCache(maxBytes: number): ResponseCache {
  const rendered = new WeakMap<object, Rendered>();
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes });
  const noteRequest = createDoorkeeper();
  const find = ({ question, version }: AnswerKey) => {
    const entry = entries.get(question);
    return entry?.version === version ? entry.value : undefined;
  };
  const keep = ({ question, version }: AnswerKey, value: object, bytes: number) =>
    void entries.set(
      question,
      { version, value },
      { size: bytes + 2 * (question.length + `${version}`.length) + overheadBytes },
    );
  return {
    get: find,
    peek: find,
    keep,
    noteRequest: ({ question }) => noteRequest(question) || entries.has(question),
    set(key, output, about = {}) {
      const texts = render(output, about);
      rendered.set(output, texts);
      keep(key, output, texts.bytes);
    },
    renderedOf: (output) => (typeof output === 'object' && output ? rendered.get(output) : undefined),
  };
}

function render(output: object, { text: measured = 'body', revision }: AnswerDetails): Rendered {
  const texts = {
    body: memoized(() => coded(JSON.stringify(output))),
    rpcBatch: memoized(() => coded(JSON.stringify([{ result: { data: serialize(output) } }]))),
  };
  return {
    ...texts,
    revision,
    bytes: 4 * texts[measured]().length,
    etag: memoized(() => entityTag(texts.body().plain(), revision)),
  };
}

const { serialize } = transformer;

function memoized<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
