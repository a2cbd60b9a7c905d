import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** An answer as REST sends it. */
interface Rendered {
  body: Buffer;
  /** Strong entity tag: the same in every process that gives the same bytes. */
  etag: string;
}

export interface AnswerCache {
  get(key: string): object | undefined;
  set(key: string, output: object): void;
  /** The bytes of an output that is or was kept here; undefined for any other. */
  renderedOf(output: object): Rendered | undefined;
}

/** Most bytes that the answers of one process take, roughly: each is held as an object and as text. */
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
      2 * (rendered.get(output)?.body.length ?? 0) + 2 * key.length + overheadBytes,
  });
  return {
    get: (key) => answers.get(key),
    set(key, output) {
      rendered.set(output, render(output));
      answers.set(key, output);
    },
    renderedOf: (output) => rendered.get(output),
  };
}

function render(output: object): Rendered {
  const body = Buffer.from(JSON.stringify(output));
  const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  return { body, etag: `"${hash}"` };
}
