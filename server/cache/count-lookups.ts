import { Counter, type Registry } from 'prom-client';
import type { ResponseCache } from '../kernel/response-cache.ts';

/** `cache`, with its hits and misses counted. */
export function countLookups(cache: ResponseCache, registry: Registry): ResponseCache {
  const lookups = new Counter({
    name: 'response_cache_lookups_total',
    help: 'Answers looked for in the memory of this process, by whether they were there',
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
