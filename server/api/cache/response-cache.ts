import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import { coded } from '../../../shared/runtime/coded.ts';
import { entityTag } from '../entity-tag.ts';
import type { AnswerDetails, AnswerKey, Rendered, ResponseCache } from '../response-cache.ts';
import { transformer } from '../transformer.ts';

/** Most bytes that the answers of one process take, roughly: each is held as an object, as one text or two, and compressed. */
export const responseCacheBytes = 32 * 1024 * 1024;

/** What an entry takes besides its texts. */
const overheadBytes = 500;

/**
 * Keeps one answer to each question, with the version of what it was made of: asked for with another version it is not
 * there, so an entry is never stale, and the answer that is made then takes its place.
 */
export function createResponseCache(maxBytes: number): ResponseCache {
  const rendered = new WeakMap<object, Rendered>();
  const entries = new LRUCache<string, { version: AnswerKey['version']; value: object }>({
    maxSize: maxBytes,
  });
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

/**
 * For as many questions as there is room to keep answers, roughly: what comes again after more others would be gone before its
 * third time. In pairs, of which a question has either, so that two seldom take each other's place; a power of two.
 */
const slots = 8_192;

/**
 * Notes that a question was asked, and tells whether it was not long ago: by its hash alone, in 32 KB that never grow. Questions
 * that came since take the place of older ones.
 */
export function createDoorkeeper(): (question: string) => boolean {
  const hashes = new Uint32Array(slots);
  return (question) => {
    const hash = hashOf(question);
    const first = hash & (slots - 2);
    if (hashes[first] === hash || hashes[first + 1] === hash) return true;
    hashes[first + 1] = hashes[first] ?? 0;
    hashes[first] = hash;
    return false;
  };
}

/** FNV-1a, of 32 bits; never 0, which stands in slots that nobody took. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}

/** `cache`, with its hits and misses counted. */
export function countLookups(cache: ResponseCache, registry: Registry): ResponseCache {
  const lookups = new Counter({
    name: 'response_cache_lookups_total',
    help: 'Lookups in the in-memory response cache of this process, by result',
    labelNames: ['result'],
    registers: [registry],
  });
  return {
    ...cache,
    peek(key) {
      const cached = cache.peek(key);
      if (cached) lookups.inc({ result: 'hit' });
      return cached;
    },
    get(key) {
      const cached = cache.get(key);
      lookups.inc({ result: cached ? 'hit' : 'miss' });
      return cached;
    },
  };
}
