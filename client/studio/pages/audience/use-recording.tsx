import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import type { z } from 'zod';
import { FormDialog } from '../../forms/form-view.tsx';
import { textOf } from '../../forms/input-props.ts';
import { useDialogForm } from '../../forms/use-form.ts';
import { texts } from '../../texts/texts.ts';

interface RecordingOptions<Values> {
  /** The list that gets longer. */
  name: string;
  words: { add: string; added(email: string): string };
  initial: Values;
  contract: z.ZodType;
  send(input: Record<string, unknown>, options: { idempotencyKey: string }): Promise<unknown>;
  onClose(): void;
}

/** The form that adds one: whom it is for, and what `fields` ask besides. */
export function useRecording<Values extends { buyer_email: string }>(options: RecordingOptions<Values>) {
  const { name, words, initial, contract, send, onClose } = options;
  const form = useDialogForm<Values, unknown>({
    initial,
    contract,
    way: { make: { name, send } },
    refreshes: [name],
    onClose,
    done: (_, { buyer_email }) => words.added(buyer_email),
  });
  const { values, problems, set } = form;
  const dialog = (fields: ReactNode) => (
    <FormDialog title={words.add} action={words.add} {...{ form, onClose }}>
      <TextInput type="email" label={texts.session.email} {...textOf(form, 'buyer_email')} data-autofocus />
      {fields}
    </FormDialog>
  );
  return { values, problems, set, dialog };
}
