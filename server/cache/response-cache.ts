import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Rendered, ResponseCache } from '../kernel/response-cache.ts';
import { transformer } from '../kernel/transformer.ts';

/** Most bytes that the answers of one process take, roughly: each is held as an object and as one text or two. */
export const responseCacheBytes = 64 * 1024 * 1024;

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
    keep,
    set(key, output, text = 'body') {
      rendered.set(output, render(output, text));
      answers.set(key, output);
    },
    renderedOf: (output) => (typeof output === 'object' && output ? rendered.get(output) : undefined),
  };
}

function render(output: object, measured: 'body' | 'rpcBatch'): Rendered {
  const texts = {
    body: once(() => Buffer.from(JSON.stringify(output))),
    rpcBatch: once(() => Buffer.from(JSON.stringify([{ result: { data: serialize(output) } }]))),
  };
  return { ...texts, bytes: 3 * texts[measured]().length, etag: once(() => tagOf(texts.body())) };
}

const { serialize } = transformer;

const tagOf = (body: Buffer) => `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
