import { LRUCache } from 'lru-cache';
import { coded } from '../kernel/coded.ts';
import { entityTag } from '../kernel/entity-tag.ts';
import type { AboutAnswer, Rendered, ResponseCache } from '../kernel/response-cache.ts';
import { transformer } from '../kernel/transformer.ts';

/** Most bytes that the answers of one process take, roughly: each is held as an object, as one text or two, and compressed. */
export const responseCacheBytes = 32 * 1024 * 1024;

/** What an entry takes besides its texts. */
const overheadBytes = 500;

/**
 * Keeps answers by a key that says all they depend on, the version of their collection included. So an entry is never
 * stale: when its content changes, its key is not asked for again, and it falls out as the least recently used.
 */
export function createResponseCache(maxBytes: number): ResponseCache {
  const rendered = new WeakMap<object, Rendered>();
  const answers = new LRUCache<string, object>({
    maxSize: maxBytes,
    sizeCalculation: (output, key) => (rendered.get(output)?.bytes ?? 0) + 2 * key.length + overheadBytes,
  });
  const keep = (key: string, value: object, bytes: number) =>
    void answers.set(key, value, { size: bytes + 2 * key.length + overheadBytes });
  return {
    get: (key) => answers.get(key),
    peek: (key) => answers.get(key),
    keep,
    set(key, output, about = {}) {
      rendered.set(output, render(output, about));
      answers.set(key, output);
    },
    renderedOf: (output) => (typeof output === 'object' && output ? rendered.get(output) : undefined),
  };
}

function render(output: object, { text: measured = 'body', revision }: AboutAnswer): Rendered {
  const texts = {
    body: once(() => coded(Buffer.from(JSON.stringify(output)))),
    rpcBatch: once(() => coded(Buffer.from(JSON.stringify([{ result: { data: serialize(output) } }])))),
  };
  return {
    ...texts,
    revision,
    bytes: 4 * texts[measured]().plain.length,
    etag: once(() => entityTag(texts.body().plain, revision)),
  };
}

const { serialize } = transformer;

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
