import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { texts } from '../texts/texts.ts';
import { toast } from '../ui/toast.tsx';
import { type FormOptions, useForm } from './use-form.ts';

interface DialogFormOptions<Values extends object, Made> extends Omit<FormOptions<Values, Made>, 'onSent'> {
  /** What shows what it changes, and is asked for again. */
  refreshes: QueryKey;
  onClose(): void;
  /** What is said once it is sent; that it is saved when left out, nothing for null. */
  done?(made: Made | null, values: Values): string | null;
}

/** A form in a dialog, which closes once all that was typed is sent. */
export function useDialogForm<Values extends object, Made = never>({
  refreshes,
  onClose,
  done = () => texts.common.changesSaved,
  ...options
}: DialogFormOptions<Values, Made>) {
  const queries = useQueryClient();
  const isThere = useRef(false);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  return useForm<Values, Made>({
    ...options,
    onSent: (made, values, { isTypedOn }) => {
      void queries.invalidateQueries({ queryKey: refreshes });
      if (isTypedOn) return;
      // Another dialog may stand there by now.
      if (isThere.current) onClose();
      const words = done(made, values);
      if (words !== null) toast(words);
    },
  });
}
