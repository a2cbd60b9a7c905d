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

/** Holds what the service answered, and knows of answers that were given before a write. */
export class WriteAwareQueryClient extends QueryClient {
  /**
   * Also asks again what is being asked, shown or not. The library waits for a first answer that is under way and takes it for
   * a fresh one, although the service may have given it before the write.
   */
  override invalidateQueries<Key extends QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const isAskedAgain = filters?.refetchType !== 'none';
    const asked = isAskedAgain ? this.getQueryCache().findAll({ ...filters, fetchStatus: 'fetching' }) : [];
    for (const query of asked.filter((one) => !one.isStatic())) {
      void query.cancel({ silent: true });
      if (!query.isActive()) void query.fetch().catch(() => undefined);
    }
    return super.invalidateQueries(filters, options);
  }

  /**
   * To be called when a write begins; what it gives, when that has ended. What other screens have is asked for again when they
   * are shown, and at once what has come to the screen meanwhile. The rest of the screen stays until whoever wrote invalidates
   * it: drafts are written at every pause in typing.
   */
  beginWrite(): () => void {
    const cache = this.getQueryCache();
    // Some of what is being asked is answered by the write itself.
    const before = new Set([
      ...cache.findAll({ type: 'active' }),
      ...cache.findAll({ fetchStatus: 'fetching' }),
    ]);
    return () => {
      void this.invalidateQueries({ refetchType: 'none' });
      void this.invalidateQueries({ predicate: (query) => !before.has(query) });
    };
  }
}
