import type { FormEvent } from 'react';
import { type Loss, useHeld, useLeaving } from '../ui/leaving.tsx';
import { submitByKeys } from '../ui/use-command-key.ts';
import { useUploading } from './uploading.tsx';
import type { Conflict } from './use-form.ts';
import { useProblemFocus } from './use-problem-focus.ts';

/** How a form stands, for what shows it. */
export interface FormState {
  isSending: boolean;
  /** What is wrong with none of the fields. */
  failure: string | null;
  /** Whether it holds what was typed and is neither sent nor being sent. */
  isChanged: boolean;
  conflict?: Conflict | null;
  /** Whether what was sent has no answer yet. */
  isUnanswered?: boolean;
  /** Whether nothing can be typed until there is one. */
  isFixed?: boolean;
  /** How often a field stood in the way. */
  refusals: number;
  submit(): void;
}

/** What every form does wherever it stands: it leads to what was refused, and loses nothing without a question. */
export function useFormElement({ isSending, isChanged, refusals, submit }: FormState) {
  const element = useProblemFocus<HTMLFormElement>(refusals);
  const sending: Loss | null = isSending ? 'sending' : null;
  const own = isChanged ? 'typed' : sending;
  useHeld(own);
  const { isUploading } = useUploading();
  const { isAsking, agreeTo } = useLeaving();
  return {
    isAsking,
    /** For the form's element. */
    props: {
      ref: element,
      noValidate: true,
      onKeyDown: submitByKeys,
      onSubmit: async (event: FormEvent) => {
        event.preventDefault();
        if (await agreeTo(isUploading ? 'saving' : null)) submit();
      },
    },
    /** Calls `then` once nothing is lost by it that somebody has not agreed to lose. */
    leave: async (then: () => void) => {
      if (await agreeTo(own ?? (isUploading ? 'uploading' : null))) then();
    },
  };
}
