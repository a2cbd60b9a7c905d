import { Counter, type Registry } from 'prom-client';
import type { ResponseCache } from '../kernel/response-cache.ts';

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
