import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { transformer } from '../transformer.ts';

/** An answer as it is sent. */
interface Rendered {
  /** JSON, as REST sends it. */
  body: Buffer;
  /** Strong entity tag of `body`: the same in every process that gives the same bytes. */
  etag: string;
  /** JSON of a batch with this answer alone, as RPC sends it. */
  rpcBatch(): Buffer;
}

export interface AnswerCache {
  get(key: string): object | undefined;
  set(key: string, output: object): void;
  /** The texts of an output that is or was kept here; undefined for any other. */
  renderedOf(output: unknown): Rendered | undefined;
}

/** Most bytes that the answers of one process take, roughly: each is held as an object and as two texts. */
export const answerCacheBytes = 64 * 1024 * 1024;

/** What an entry takes besides its texts. */
const overheadBytes = 500;

/**
 * Keeps answers by a key that says all they depend on, the version of their collection included. So an entry is never
 * stale: when its content changes, its key is not asked for again, and it falls out as the least recently used.
 */
export function createAnswerCache(maxBytes: number): AnswerCache {
  const rendered = new WeakMap<object, Rendered>();
  const answers = new LRUCache<string, object>({
    maxSize: maxBytes,
    sizeCalculation: (output, key) =>
      3 * (rendered.get(output)?.body.length ?? 0) + 2 * key.length + overheadBytes,
  });
  return {
    get: (key) => answers.get(key),
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
