import { LRUCache } from 'lru-cache';
import { Counter, type Registry } from 'prom-client';
import { createCompressedBody } from '../../../shared/runtime/compressed-body.ts';
import { entityTag } from '../entity-tag.ts';
import type { AnswerDetails, AnswerKey, RenderedAnswer, ResponseCache } from '../response-cache.ts';
import { transformer } from '../transformer.ts';

/**
 * Maximum bytes of the response cache of one process, estimated: each answer exists as an object, one or two texts, and
 * compressed.
 */
export const responseCacheBytes = 32 * 1024 * 1024;

/** Estimated bytes of an entry without its texts. */
const overheadBytes = 500;

/**
 * Response cache: an LRU map from a question to one answer and its version, bounded by `maxBytes`.
 *
 *   absent ──set, keep──▶ current ──version changed──▶ outdated ──set, keep──▶ current
 *   current, outdated ──least recently used, memory full──▶ absent
 *
 * A lookup passes the version that the request read from the database. An entry with another version counts as absent,
 * so no answer is stale; the next answer replaces it. Nothing is invalidated between processes: each of them compares
 * versions.
 *
 * Answers with one record pass a doorkeeper (`noteRequest`): over REST and MCP, they are stored from the second request
 * on. The first text is rendered when an answer is stored, because its length gives the size of the entry. The other text
 * and compressed forms are created when first needed, and all live as long as their output.
 */
export function createResponseCache(maxBytes: number): ResponseCache {
  const rendered = new WeakMap<object, RenderedAnswer>();
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

function render(output: object, { text: measured = 'body', revision }: AnswerDetails): RenderedAnswer {
  const texts = {
    body: memoized(() => createCompressedBody(JSON.stringify(output))),
    rpcBatch: memoized(() => createCompressedBody(JSON.stringify([{ result: { data: serialize(output) } }]))),
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
 * Number of slots of the doorkeeper, a power of two: roughly the number of answers that fit in memory. A question that
 * recurs after more others would be evicted before its third request. A question has a pair of slots, so that two
 * rarely replace each other.
 */
const slots = 8_192;

/**
 * Creates a doorkeeper as in TinyLFU: it records a question and returns whether it was recorded recently. It stores
 * 32-bit hashes in 32 KB that never grow. New questions replace old ones.
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

/** Computes the FNV-1a hash of 32 bits; never 0, which marks an empty slot. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}

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
