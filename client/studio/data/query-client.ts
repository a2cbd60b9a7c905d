import { QueryClient } from '@tanstack/react-query';
import { isApiError } from '../../sdk/index.ts';

/** Reads fail at once when the service has answered, and are tried once more when the connection broke. */
export const createQueryClient = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        gcTime: 10 * 60_000,
        retry: (failures, error) => !isApiError(error) && failures < 1,
      },
      mutations: { retry: false },
    },
  });
