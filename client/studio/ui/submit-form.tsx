import { Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

/** A form that its button or Enter sends, without leaving the page. */
export function SubmitForm({ onSubmit, children }: { onSubmit(): void; children: ReactNode }) {
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
