import { QueryClient } from '@tanstack/react-query';

/**
 * Nothing is tried again here: the client does that where it helps. Without a network calls fail, so that somebody is told,
 * rather than wait for it; what failed to load is asked for again when it is back.
 */
export const createQueryClient = () =>
  new QueryClient({
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
