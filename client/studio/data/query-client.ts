import {
  type InvalidateOptions,
  type InvalidateQueryFilters,
  QueryClient,
  type QueryKey,
} from '@tanstack/react-query';

/**
 * Nothing is tried again here: the client does that where it helps. Without a network calls fail, so that somebody is told,
 * rather than wait for it; what failed to load is asked for again when it is back.
 */
export const createQueryClient = () =>
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

/**
 * After a write, also asks again what is being asked for the first time. The library waits for that first answer and takes
 * it for a fresh one, although the service may have given it before the write.
 */
class WriteAwareQueryClient extends QueryClient {
  override invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const asked = this.getQueryCache().findAll({ ...filters, type: 'active', fetchStatus: 'fetching' });
    for (const query of asked) if (query.state.data === undefined) void query.cancel({ silent: true });
    return super.invalidateQueries(filters, options);
  }
}
