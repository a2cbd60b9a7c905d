import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { toastError } from './toast.tsx';

interface Write<Input, Output> {
  run(input: Input): Promise<Output>;
  /** What shows what it changes, and is asked for again: also where it was refused, since it stands otherwise then. */
  refreshes?: QueryKey;
  /** Once it is done. */
  done?(output: Output, input: Input): void;
}

/** What is done by a press, and needs no form: what fails is told. Of several presses each waits for the one before it. */
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
