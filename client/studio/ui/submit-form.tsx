import { Stack } from '@mantine/core';
import type { FormEvent, ReactNode } from 'react';

/** Form that runs `onSubmit` on its button or Enter, without leaving the page. */
export function SubmitForm({ onSubmit, children }: { onSubmit(): void; children: ReactNode }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The server checks email addresses: WebKit refuses those with a non-ASCII domain.
    const inputs = [...event.currentTarget.querySelectorAll('input')];
    const refused = inputs.find(({ validity }) => !validity.valid && !validity.typeMismatch);
    if (refused) refused.reportValidity();
    else onSubmit();
  };
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="md">{children}</Stack>
    </form>
  );
}
