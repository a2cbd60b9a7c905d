import { Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

interface SubmitFormProps {
  onSubmit(): void;
  children: ReactNode;
}

/** A form that its button or Enter sends, without leaving the page. */
export function SubmitForm({ onSubmit, children }: SubmitFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">{children}</Stack>
    </form>
  );
}
