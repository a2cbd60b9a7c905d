import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { toastError } from './toast.tsx';

interface Write<Input, Output> {
  run(input: Input): Promise<Output>;
  /** Key of the queries to refetch afterwards, also after a refusal, because the data may have changed. */
  refreshes?: QueryKey;
  /** Called after success. */
  done?(output: Output, input: Input): void;
}

/** Returns a mutation for a button without a form. Errors appear as toasts. Calls run one after the other. */
export function useWrite<Input = void, Output = unknown>({ run, refreshes, done }: Write<Input, Output>) {
  const queries = useQueryClient();
  const refresh = async () => {
    if (refreshes) await queries.invalidateQueries({ queryKey: refreshes });
  };
  const last = useRef<Promise<unknown>>(Promise.resolve());
  return useMutation({
    mutationFn: (input: Input) => {
      const running = last.current.then(() => run(input));
      last.current = running.catch(() => undefined);
      return running;
    },
    onSuccess: async (output, input) => {
      await refresh();
      done?.(output, input);
    },
    onError: (error) => {
      toastError(error);
      void refresh();
    },
  });
}
