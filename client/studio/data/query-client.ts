import { QueryClient } from '@tanstack/react-query';

/** Nothing is tried again here: the client does that where it helps. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        retry: false,
      },
      mutations: { retry: false },
    },
  });
