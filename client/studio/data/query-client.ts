import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';

/**
 * Creates the query cache. It does not retry, because the API client does. Without a network, calls fail instead of waiting,
 * so that users get a message; failed queries are repeated when the network returns.
 */
export const createQueryClient = (): WriteAwareQueryClient =>
  new WriteAwareQueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        retry: false,
        networkMode: 'always',
        refetchOnReconnect: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });

/** Query cache that does not keep answers from before a write. */
export class WriteAwareQueryClient extends QueryClient {
  /**
   * Also repeats queries in flight. The library would accept a first answer in flight as fresh, although the service may
   * have read it before the write.
   */
  override invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const isRefetched = filters?.refetchType !== 'none';
    const fetching = isRefetched ? this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' }) : [];
    for (const query of fetching.filter((one) => !one.isStatic())) {
      void query.cancel({ silent: true });
      if (!query.isActive()) void query.fetch().catch(() => undefined);
    }
    return super.invalidateQueries(filters, options);
  }

  /**
   * Marks the start of a write; the returned function marks its end. All cached queries are stale then: those not shown are
   * fetched when they are shown. Queries that started or appeared during the write are fetched immediately. Other visible
   * queries wait for `invalidateQueries` by the caller, because drafts are saved at every pause in typing.
   */
  beginWrite(): () => void {
    const cache = this.getQueryCache();
    const before = new Set(cache.findAll({ type: 'active' }));
    return () => {
      void this.invalidateQueries({ refetchType: 'none' });
      void this.invalidateQueries({ predicate: (query) => !before.has(query) });
    };
  }
}
