import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Rendered, ResponseCache } from '../kernel/response-cache.ts';
import { transformer } from '../kernel/transformer.ts';

/** Most bytes that the answers of one process take, roughly: each is held as an object and as two texts. */
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
    sizeCalculation: (output, key) =>
      3 * (rendered.get(output)?.body.length ?? 0) + 2 * key.length + overheadBytes,
  });
  const keep = (key: string, value: object, bytes: number) =>
    void answers.set(key, value, { size: bytes + 2 * key.length + overheadBytes });
  return {
    get: (key) => answers.get(key),
    keep,
    set(key, output) {
      rendered.set(output, render(output));
      answers.set(key, output);
    },
    renderedOf: (output) => (typeof output === 'object' && output ? rendered.get(output) : undefined),
  };
}

function render(output: object): Rendered {
  const body = Buffer.from(JSON.stringify(output));
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  let batch: Buffer | undefined;
  return { body, etag: `"${hash}"`, rpcBatch: () => (batch ??= renderRpcBatch(output)) };
}

const renderRpcBatch = (output: object) =>
  Buffer.from(JSON.stringify([{ result: { data: transformer.serialize(output) } }]));
